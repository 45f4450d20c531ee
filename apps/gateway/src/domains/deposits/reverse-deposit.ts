import { GatewayError } from '@farebox/wire/errors'
import type { Hex } from 'viem'
import type { Deps } from '../../ports.ts'
import {
  lockOpenFinding,
  movementsOf,
  type OnSettled,
  openFinding,
  type Settled,
  settle,
} from '../ledger/database/settle-finding.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { findCredited, markReversed } from './reorganised-store.ts'
import { eventOf } from './rules.ts'

/**
 * Reverses the credit of a deposit that a reorganisation removed from the chain, and closes the finding. Debits the
 * owner's available balance, never below zero; the platform bears the rest.
 *
 * Lock order: accounts, then records.
 *
 * @throws GatewayError NOT_FOUND; INVALID_STATE when the finding is closed or of another kind, or the transaction is on
 * the chain again; UNAVAILABLE when the chain is unreachable
 */
export async function reverseDeposit(
  deps: Pick<Deps, 'db' | 'chain'>,
  findingId: string,
  onSettled: OnSettled,
): Promise<Settled> {
  const { db, chain } = deps
  const finding = await openFinding(db, findingId, 'deposit-reorganised')
  const event = eventOf(finding.subject)
  // If it is mined again, the follower finds it once it is confirmed.
  if ((await chain.receipt(event.txHash as Hex)) !== null) throw onChain()
  const seen = await findCredited(db, chain.facts, { ...event, isLocked: false })
  if (seen === undefined) throw onChain()
  const { wallet, amount } = seen
  const claim = { kind: 'deposit-reversed', wallet, amount, chargedMax: amount } as const

  return db.transaction(async tx => {
    const books = await lockBooks(tx, movementsOf(finding, claim))
    await lockOpenFinding(tx, finding)
    const row = await findCredited(tx, chain.facts, { ...event, isLocked: true })
    if (row === undefined || row.goneAt === null) throw onChain()
    await markReversed(tx, chain.facts, { ...event, findingId: finding.id })
    return settle(tx, books, finding, claim, onSettled)
  })
}

function onChain(): GatewayError {
  const message =
    'The transaction is on chain again. Wait for its confirmations: the finding then closes by itself.'
  return new GatewayError('INVALID_STATE', {}, { message })
}
