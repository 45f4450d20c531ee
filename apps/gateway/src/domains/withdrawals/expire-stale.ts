import { ticketSigner } from '@farebox/vault'
import type { Block, Chain, Deps } from '../../ports.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { confirmedHeight } from '../ledger/read-mined.ts'
import { closeUnpaid } from './close-unpaid.ts'
import { settleRedemption } from './complete-by-event.ts'
import { isStale, mayBecome } from './rules.ts'
import { listOutTickets, lockWithdrawal, releaseOf, type WithdrawalRow } from './store.ts'

/**
 * Number of blocks after a ticket's issue that are searched for its redemption; more than any chain makes in its hour.
 */
const SEARCH_BLOCKS_MAX = 20_000n

type ExpireDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>

/**
 * Releases the money of tickets that were not redeemed in time. Requires a confirmed block after the deadline, so that
 * no later block can redeem the ticket, in which the vault shows the nonce as unused. Neither the local clock nor the
 * newest block counts.
 *
 * A stale ticket that was redeemed is closed as paid; usually the follower has already done that. One that differs from
 * what was signed stays locked: the signed one may have a later deadline.
 *
 * @param query.wallet only this wallet; absent: all
 * @param query.limit  maximum number of tickets to check, earliest deadline first
 * @throws GatewayError UNAVAILABLE when the chain is unreachable; unreleased money stays locked
 */
export async function expireStale(
  deps: ExpireDeps,
  query: { wallet?: string; limit: number },
): Promise<void> {
  const out = await listOutTickets(deps.db, deps.chain.facts, query)
  if (out.length === 0) return
  const block = await confirmedBlock(deps.chain)
  if (block === null) return
  for (const row of out) {
    if (row.deadline === null || !isStale(row.deadline, block.timestamp)) continue
    if (await deps.chain.isNonceUsed(row.nonce, block.number)) await completeMissed(deps, row, block)
    else if (await isAsSigned(row)) await release(deps, row)
    else
      deps.log.error(
        { withdrawalId: row.id },
        'an open ticket is not the one that was signed; its money stays locked',
      )
  }
}

/** Returns false if the ticket's deadline or another part is not the signed one: the vault may still pay that one. */
async function isAsSigned(row: WithdrawalRow): Promise<boolean> {
  const { deadline, signature, signer, chainId, vault } = row
  if (deadline === null || signature === null || chainId === null || vault === null) return false
  const found = await ticketSigner({ ...row, deadline, signature, chainId, vault })
  return found !== null && (signer === null || found === signer)
}

/** Returns the newest confirmed block; null if the node does not have it. */
async function confirmedBlock(chain: Chain): Promise<Block | null> {
  const head = await chain.head()
  const number = confirmedHeight(head, chain.facts)
  return number < 0n ? null : chain.block(number)
}

/** Releases a withdrawal, unless it was decided in the meantime. Lock order: account, then record. */
async function release(deps: ExpireDeps, withdrawal: WithdrawalRow): Promise<void> {
  const { id } = withdrawal
  await deps.db.transaction(async tx => {
    const books = await lockBooks(tx, [releaseOf(withdrawal)])
    const row = await lockWithdrawal(tx, id)
    if (!mayBecome(row.status, 'CANCELLED')) return
    await closeUnpaid(deps, tx, books, row, { status: 'CANCELLED', reason: null })
    await books.write()
  })
}

async function completeMissed(deps: ExpireDeps, row: WithdrawalRow, confirmed: Block): Promise<void> {
  const from = row.issuedBlock ?? confirmed.number
  const last = from + SEARCH_BLOCKS_MAX
  const events = await deps.chain.vaultEvents({ from, to: last < confirmed.number ? last : confirmed.number })
  for (const event of events) {
    if (event.kind === 'withdrawn' && event.nonce === row.nonce) return settleRedemption(deps, event)
  }
  deps.log.error({ withdrawalId: row.id }, 'a ticket counts as redeemed, but its redemption was not found')
}
