import type { Usdc } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import type { TicketBlock } from '@farebox/wire/operations'
import type { Address } from 'viem'
import type { Block, Deps, Queryable, VaultPlace } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { TICKET_SECONDS } from '../ledger/database/database-watch.ts'
import { ticketBlock } from '../ledger/database/ticket-gate.ts'
import { expireStale } from './expire-stale.ts'
import { liquidity, type VaultFunds } from './rules.ts'
import { type IssuedTicket, sumPromised } from './store.ts'

/** Maximum number of stale tickets that are released before the vault is read; the job releases the others. */
const EXPIRED_AT_ONCE_MAX = 20

/** A vault's funds as of the newest block; `acceptsOurs` is true if it pays tickets signed with our key. */
export type VaultSnapshot = VaultFunds & VaultPlace & { readonly head: Block; readonly acceptsOurs: boolean }

/** Reason why this gateway cannot issue tickets now. */
export type IssueBlock =
  | TicketBlock
  /** It has no signing key. */
  | 'no_ticket_signer'
  /** The vault has another signer. */
  | 'ticket_signer_differs'
  /** The external signer does not sign now. */
  | 'ticket_signer_unavailable'

/**
 * Releases stale tickets, then reads the vault's funds and signer.
 *
 * @throws GatewayError WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE when the chain is unreachable
 */
export async function readVaultFunds(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
): Promise<VaultSnapshot> {
  const { chain } = deps
  try {
    await expireStale(deps, { limit: EXPIRED_AT_ONCE_MAX })
    const head = await chain.head()
    const [balance, withdrawable, { acceptsOurs }] = await Promise.all([
      chain.vaultBalance(head.number),
      chain.withdrawableNow(),
      chain.vaultSigner(),
    ])
    const { chainId, vault } = chain.facts
    return { chainId, vault, head, balance, withdrawable, acceptsOurs }
  } catch (cause) {
    throw new GatewayError(
      'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE',
      {},
      { cause, retryAfterSeconds: RETRY_AFTER_SECONDS.notReady },
    )
  }
}

/**
 * Returns the amount for which tickets can be issued now: a forecast without the ticketing lock. The vault was read before the
 * transaction, so tickets that were paid after that block still count as promised.
 */
export async function readLiquidity(tx: Queryable, vault: VaultSnapshot): Promise<Usdc> {
  return liquidity(vault, await sumPromised(tx, vault, vault.head.number))
}

/**
 * Returns why this gateway cannot issue tickets now, or null if it can: a forecast without the ticketing lock.
 *
 * @param vault null when the chain is unreachable
 */
export async function issueBlock(
  deps: Pick<Deps, 'chain' | 'config'>,
  db: Queryable,
  vault: VaultSnapshot | null,
): Promise<IssueBlock | null> {
  if (deps.chain.ticketSigner === null) return 'no_ticket_signer'
  if (vault?.acceptsOurs === false) return 'ticket_signer_differs'
  return ticketBlock(db, deps, vault?.head ?? null)
}

/**
 * Signs the ticket that a withdrawal may get, before its transaction: the signer may be external. A ticket that is not
 * issued then is forgotten. It is valid for one hour from the newest block.
 *
 * @returns null if the external signer does not sign now
 * @throws Error without a signer: see {@link issueBlock}
 */
export async function signTicket(
  deps: Pick<Deps, 'chain' | 'log'>,
  withdrawal: { id: string; wallet: Address; amount: Usdc },
  vault: VaultSnapshot,
): Promise<IssuedTicket | null> {
  const { id, wallet, amount } = withdrawal
  const deadline = vault.head.timestamp + TICKET_SECONDS
  const nonce = withdrawalNonce(id)
  const { facts, ticketSigner: signer } = deps.chain
  if (signer === null) throw new Error('There is no TICKET_SIGNER_KEY to sign a ticket with.')
  const { chainId, vault: address } = facts
  try {
    const signature = await deps.chain.signTicket({ to: wallet, amount, deadline, nonce })
    return { chainId, vault: address, deadline, signature, signer, issuedBlock: vault.head.number }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    deps.log.warn({ err: error, withdrawalId: id }, 'the external signer of tickets does not sign')
    return null
  }
}
