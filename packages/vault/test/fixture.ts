/** A vault of USDC, freshly deployed, and what the tests do with it over and over. */
import { type Address, encodeDeployData, type Hex, parseEventLogs, type TransactionReceipt } from 'viem'
import {
  fareboxVaultAbi,
  fareboxVaultBytecode,
  type Ticket,
  testUsdcAbi,
  testUsdcBytecode,
  ticketDomain,
  ticketTypes,
  withdrawalNonce,
} from '../src/index.ts'
import { type Chain, chainId, contractAt, courier, owner, signer } from './chain.ts'

type Signer = typeof signer

/** One USDC in base units. */
export const USDC = 1_000_000n

/** Default daily cap of the vault in tests. */
export const DEFAULT_CAP = 1_000n * USDC

/** Deploys test USDC. */
export async function deployUsdc(chain: Chain) {
  const data = encodeDeployData({ abi: testUsdcAbi, bytecode: testUsdcBytecode, args: [owner.address] })
  return contractAt(chain, testUsdcAbi, await chain.deploy(data))
}

/** Deploys a vault for a token. */
export async function deployVault(
  chain: Chain,
  token: Address,
  options: { cap?: bigint; signer?: Address; owner?: Address } = {},
) {
  const args = [
    token,
    options.signer ?? signer.address,
    options.owner ?? owner.address,
    options.cap ?? DEFAULT_CAP,
  ] as const
  const data = encodeDeployData({ abi: fareboxVaultAbi, bytecode: fareboxVaultBytecode, args })
  return contractAt(chain, fareboxVaultAbi, await chain.deploy(data))
}

export type Usdc = Awaited<ReturnType<typeof deployUsdc>>
export type Vault = Awaited<ReturnType<typeof deployVault>>

/** A new vault of new test USDC. */
export async function openVault(chain: Chain, options: Parameters<typeof deployVault>[2] = {}) {
  const usdc = await deployUsdc(chain)
  const vault = await deployVault(chain, usdc.address, options)
  return { usdc, vault }
}

/** Mints `amount` to somebody, and has it deposited. */
export async function fund(usdc: Usdc, vault: Vault, who: { address: Address }, amount: bigint) {
  await usdc.write(owner, 'mint', [who.address, amount])
  await usdc.write(who, 'approve', [vault.address, amount])
  return vault.write(who, 'deposit', [amount])
}

let withdrawals = 0

/** A ticket for one USDC, good for an hour, with a nonce of its own; with whatever the test wants different. */
export async function ticketFor(
  chain: Chain,
  to: { address: Address },
  different: Partial<Ticket> = {},
): Promise<Ticket> {
  withdrawals += 1
  return {
    to: to.address,
    amount: USDC,
    deadline: (await chain.now()) + 3_600n,
    nonce: withdrawalNonce(`withdrawal ${withdrawals}`),
    ...different,
  }
}

/** Signs a ticket as the gateway does; or by another key, for another chain or another vault. */
export function sign(
  vault: { address: Address },
  ticket: Ticket,
  different: { by?: Signer; chainId?: number } = {},
): Promise<Hex> {
  return (different.by ?? signer).signTypedData({
    domain: ticketDomain({ chainId: different.chainId ?? chainId, vault: vault.address }),
    types: ticketTypes,
    primaryType: 'Ticket',
    message: ticket,
  })
}

/** Signs a ticket and has the courier, who has no part in it, submit it. */
export async function pay(vault: Vault, ticket: Ticket, by: Signer = signer): Promise<TransactionReceipt> {
  return vault.write(courier, 'withdraw', [ticket, await sign(vault, ticket, { by })])
}

/** The events of the vault in a receipt, as `[name, args]`. */
export function vaultEvents(receipt: TransactionReceipt) {
  return parseEventLogs({ abi: fareboxVaultAbi, logs: receipt.logs }).map(log => [log.eventName, log.args])
}
