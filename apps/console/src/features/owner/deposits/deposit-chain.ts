import { type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Address, type Hex, hashDomain, parseSignature } from 'viem'
import { getBalance, getCode, getContractEvents } from 'viem/actions'
import type { ConsoleConfig } from '../../../console-config.ts'
import { eventsAfter } from '../../../wallet/events.ts'
import { readChainTime } from '../../../wallet/transactions.ts'
import { wallet } from '../../../wallet/use-wallet.ts'
import type { Permit } from './deposit-draft.ts'

// What a deposit asks the chain, and has the wallet do. All fail with a WalletError.

type Contracts = Pick<ConsoleConfig, 'usdc' | 'vault' | 'chainId'>

/** How long a signed permission is good, in seconds. */
const PERMIT_SECONDS = 3_600n

/** What a wallet has on the chain. */
export type WalletBalances = {
  readonly usdc: Usdc
  /** Wei; a transaction costs some. */
  readonly ether: bigint
  /** Whether the token takes a signature for a permission. */
  readonly hasPermit: boolean
}

/** Reads what a wallet could deposit. */
export async function readWalletBalances(contracts: Contracts, owner: Address): Promise<WalletBalances> {
  const [amount, ether, domain] = await Promise.all([
    wallet.read({ address: contracts.usdc, abi: testUsdcAbi, functionName: 'balanceOf', args: [owner] }),
    wallet.ask(client => getBalance(client, { address: owner })),
    readPermitDomain(contracts, owner),
  ])
  return { usdc: usdc(amount), ether, hasPermit: domain !== null }
}

/** What the vault may take of the wallet. */
export function readAllowance({ usdc: token, vault }: Contracts, owner: Address): Promise<bigint> {
  return wallet.read({ address: token, abi: testUsdcAbi, functionName: 'allowance', args: [owner, vault] })
}

type PermitDomain = { name: string; version: string; chainId: number; verifyingContract: Address }

/**
 * The EIP-712 domain of the token's permits; null when it has none, or none that this page can be sure of, or when the
 * wallet is a contract, whose signatures tokens do not know.
 */
async function readPermitDomain(contracts: Contracts, owner: Address): Promise<PermitDomain | null> {
  const at = { address: contracts.usdc, abi: permitAbi } as const
  const code = await wallet.ask(client => getCode(client, { address: owner }))
  if (code !== undefined && !code.startsWith('0xef0100')) return null
  const optional = <Value>(answer: Promise<Value>) => answer.catch(() => null)
  const [separator, name, version, told] = await Promise.all([
    optional(wallet.read({ ...at, functionName: 'DOMAIN_SEPARATOR' })),
    optional(wallet.read({ ...at, functionName: 'name' })),
    optional(wallet.read({ ...at, functionName: 'version' })),
    optional(wallet.read({ ...at, functionName: 'eip712Domain' })),
  ])
  if (separator === null || name === null) return null
  const domain = {
    name: told?.[1] ?? name,
    version: told?.[2] ?? version ?? '1',
    chainId: contracts.chainId,
    verifyingContract: contracts.usdc,
  }
  const hashed = { ...domain, chainId: BigInt(domain.chainId) }
  return hashDomain({ domain: hashed, types: { EIP712Domain: domainTypes } }) === separator ? domain : null
}

/** Has the wallet sign that the vault may take an amount. Nothing is sent. */
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

/** The transaction by which a wallet has deposited an amount after a block; null when there is none (yet). */
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
/** What tokens with permits answer (EIP-2612, ERC-5267, and `version` of Circle's USDC). */
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
