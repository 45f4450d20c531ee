import { ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Hex } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import {
  lockOpenFinding,
  movementsOf,
  type OnSettled,
  openFinding,
  type Settled,
  settle,
} from '../ledger/database/settle-finding.ts'
import { type LockedBooks, lockBooks } from '../ledger/lock-books.ts'
import { closeUnpaid } from './close-unpaid.ts'
import { findRedemptions, lockRedemption, markAdopted } from './redemption-store.ts'
import { mayBecome } from './rules.ts'
import { findByNonces, lockWithdrawal, releaseOf, type WithdrawalRow } from './store.ts'

/**
 * Books a redemption that no withdrawal explains, and closes the finding. Debits the recipient's earnings as far as
 * they suffice and the platform for the rest, or the platform for all of it. Closes an open withdrawal with the same
 * nonce first, as its ticket can no longer be redeemed.
 *
 * Lock order: accounts, then records.
 *
 * @param act.chargeTo `recipient`, or `platform` to charge only the platform
 * @throws GatewayError NOT_FOUND; INVALID_STATE when the finding is closed, is of another kind, or its redemption is no
 * longer on the chain
 */
export async function adoptRedemption(
  deps: Pick<Deps, 'db' | 'chain' | 'ids'>,
  act: { findingId: string; chargeTo: 'recipient' | 'platform' },
  onSettled: OnSettled,
): Promise<Settled> {
  const { db, chain } = deps
  const finding = await openFinding(db, act.findingId, 'unexplained-redemption')
  const nonce = finding.detail.nonce as Hex
  const [seen] = await findRedemptions(db, chain.facts, [nonce])
  if (seen === undefined || seen.goneAt !== null) throw notOnChain()
  const [withdrawal] = await findByNonces(db, chain.facts, [nonce])
  const { recipient: wallet, amount } = seen
  const chargedMax = act.chargeTo === 'platform' ? ZERO : amount
  const claim = { kind: 'redemption-adopted', wallet, amount, chargedMax } as const
  const release = withdrawal === undefined ? [] : [releaseOf(withdrawal)]

  return db.transaction(async tx => {
    const books = await lockBooks(tx, [...release, ...movementsOf(finding, claim)])
    await lockOpenFinding(tx, finding)
    const row = await lockRedemption(tx, chain.facts, nonce)
    const isAsSeen = row?.goneAt === null && row.amount === amount && row.recipient === wallet
    if (!isAsSeen) throw notOnChain()
    if (withdrawal !== undefined) await closeWithdrawal(deps, tx, books, withdrawal)
    await markAdopted(tx, chain.facts, { nonce, findingId: finding.id })
    return settle(tx, books, finding, claim, onSettled)
  })
}

/** Closes a withdrawal whose nonce was used for another payment. */
async function closeWithdrawal(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  books: LockedBooks,
  { id }: WithdrawalRow,
): Promise<void> {
  const row = await lockWithdrawal(tx, id)
  if (row.status === 'COMPLETED') return
  const status = (['REJECTED', 'CANCELLED'] as const).find(end => mayBecome(row.status, end))
  if (status === undefined) return
  const reason = 'The vault paid another ticket with this nonce.'
  await closeUnpaid(deps, tx, books, row, { status, reason })
}

function notOnChain(): GatewayError {
  const message = 'This redemption is not on chain now. Read the findings again.'
  return new GatewayError('INVALID_STATE', {}, { message })
}
