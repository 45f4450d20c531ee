import { type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Address, type Hex, hashDomain, parseSignature } from 'viem'
import { getBalance, getCode, getContractEvents } from 'viem/actions'
import type { ConsoleConfig } from '../../../console-config.ts'
import { eventsAfter } from '../../../wallet/events.ts'
import { readChainTime } from '../../../wallet/transactions.ts'
import { wallet } from '../../../wallet/use-wallet.ts'
import type { Permit } from './deposit-draft.ts'

// Chain reads and wallet requests of a deposit. All throw WalletError.

type Contracts = Pick<ConsoleConfig, 'usdc' | 'vault' | 'chainId'>

/** Validity of a permit, in seconds. */
const PERMIT_SECONDS = 3_600n

/** The balances of a wallet on the chain. */
export type WalletBalances = {
  readonly usdc: Usdc
  /** In wei; needed for fees. */
  readonly ether: bigint
  /** The token accepts permits (EIP-2612) from this wallet. */
  readonly hasPermit: boolean
}

/** Reads the balances of a wallet. */
export async function readWalletBalances(contracts: Contracts, owner: Address): Promise<WalletBalances> {
  const [amount, ether, domain] = await Promise.all([
    wallet.read({ address: contracts.usdc, abi: testUsdcAbi, functionName: 'balanceOf', args: [owner] }),
    wallet.ask(client => getBalance(client, { address: owner })),
    readPermitDomain(contracts, owner),
  ])
  return { usdc: usdc(amount), ether, hasPermit: domain !== null }
}

/** Reads the vault's allowance. */
export function readAllowance({ usdc: token, vault }: Contracts, owner: Address): Promise<bigint> {
  return wallet.read({ address: token, abi: testUsdcAbi, functionName: 'allowance', args: [owner, vault] })
}

type PermitDomain = { name: string; version: string; chainId: number; verifyingContract: Address }

/**
 * Reads the EIP-712 domain of the token's permits. Returns null when the token has none, when the domain read here
 * does not match the token's separator, or when the wallet is a contract, whose signatures tokens do not verify.
 */
async function readPermitDomain(contracts: Contracts, owner: Address): Promise<PermitDomain | null> {
  const at = { address: contracts.usdc, abi: permitAbi } as const
  const code = await wallet.ask(client => getCode(client, { address: owner }))
  if (code !== undefined && !code.startsWith('0xef0100')) return null
  const optional = <Value>(answer: Promise<Value>) => answer.catch(() => null)
  const [separator, name, version, published] = await Promise.all([
    optional(wallet.read({ ...at, functionName: 'DOMAIN_SEPARATOR' })),
    optional(wallet.read({ ...at, functionName: 'name' })),
    optional(wallet.read({ ...at, functionName: 'version' })),
    optional(wallet.read({ ...at, functionName: 'eip712Domain' })),
  ])
  if (separator === null || name === null) return null
  const domain = {
    name: published?.[1] ?? name,
    version: published?.[2] ?? version ?? '1',
    chainId: contracts.chainId,
    verifyingContract: contracts.usdc,
  }
  const hashed = { ...domain, chainId: BigInt(domain.chainId) }
  return hashDomain({ domain: hashed, types: { EIP712Domain: domainTypes } }) === separator ? domain : null
}

/** Has the wallet sign a permit for the vault. Sends nothing. */
export async function signPermit(contracts: Contracts, owner: Address, amount: Usdc): Promise<Permit | null> {
  const [domain, now, nonce] = await Promise.all([
    readPermitDomain(contracts, owner),
    readChainTime(),
    wallet.read({ address: contracts.usdc, abi: permitAbi, functionName: 'nonces', args: [owner] }),
  ])
  if (domain === null) return null
  const deadline = now + PERMIT_SECONDS
  const message = { owner, spender: contracts.vault, value: amount, nonce, deadline }
  const signature = await wallet.signTypedData({
    domain,
    types: { Permit: permitTypes },
    primaryType: 'Permit',
    message,
  })
  return { deadline: deadline.toString(), signature }
}

/** Has the wallet send an approval. */
export function sendApproval({ usdc: token, vault }: Contracts, amount: Usdc): Promise<Hex> {
  return wallet.write({ address: token, abi: testUsdcAbi, functionName: 'approve', args: [vault, amount] })
}

/** Has the wallet send the deposit, with its permit if there is one. */
export function sendDeposit({ vault }: Contracts, amount: Usdc, permit: Permit | undefined): Promise<Hex> {
  const at = { address: vault, abi: fareboxVaultAbi } as const
  if (permit === undefined) return wallet.write({ ...at, functionName: 'deposit', args: [amount] })
  const { r, s, yParity } = parseSignature(permit.signature)
  const args = [amount, BigInt(permit.deadline), 27 + yParity, r, s] as const
  return wallet.write({ ...at, functionName: 'depositWithPermit', args })
}

/** Finds the transaction by which a wallet deposited an amount after a block; null if there is none (yet). */
export async function findDeposit(
  { vault }: Contracts,
  sent: { owner: Address; amount: Usdc; sinceBlock: bigint },
): Promise<Hex | null> {
  const events = await eventsAfter(sent.sinceBlock, (client, fromBlock) =>
    getContractEvents(client, {
      address: vault,
      abi: fareboxVaultAbi,
      eventName: 'Deposited',
      strict: true,
      args: { owner: sent.owner },
      fromBlock,
    }),
  )
  return events.findLast(({ args }) => args.amount === sent.amount)?.transactionHash ?? null
}

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const
const permitTypes = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const
const asks = { type: 'function', stateMutability: 'view', inputs: [] } as const
/** Reads of tokens with permits (EIP-2612, ERC-5267, and `version` of Circle's USDC). */
const permitAbi = [
  { ...asks, name: 'DOMAIN_SEPARATOR', outputs: [{ type: 'bytes32' }] },
  { ...asks, name: 'name', outputs: [{ type: 'string' }] },
  { ...asks, name: 'version', outputs: [{ type: 'string' }] },
  { ...asks, name: 'nonces', inputs: [{ name: 'owner', type: 'address' }], outputs: [{ type: 'uint256' }] },
  {
    ...asks,
    name: 'eip712Domain',
    outputs: [
      { type: 'bytes1' },
      { type: 'string' },
      { type: 'string' },
      { type: 'uint256' },
      { type: 'address' },
      { type: 'bytes32' },
      { type: 'uint256[]' },
    ],
  },
] as const
