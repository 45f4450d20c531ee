import { formatUsdc, type Usdc } from '@farebox/money'
import type { Hex } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { lockBooks, type Movement } from '../ledger/lock-books.ts'
import { type Announcement, announce } from '../webhooks/announce.ts'
import { eventKey } from './rules.ts'
import { lockUncredited, markCredited, writeCredit } from './store.ts'

/** A recorded event to credit. */
export type CreditableEvent = { readonly logIndex: number; readonly amount: Usdc }

/**
 * Credits the events of one wallet in one transaction. Each event is credited once, even if several gateways call this
 * concurrently; events that are already credited are skipped.
 *
 * Lock order: accounts, then records.
 *
 * @param credit.events recorded events of this wallet and transaction, known to be on the chain
 * @param admit decides once the accounts are locked; it may record the events
 * @returns false if `admit` refused; then nothing has changed
 */
export async function creditDeposits(
  deps: Pick<Deps, 'db' | 'ids'>,
  credit: {
    chainId: number
    wallet: string
    txHash: Hex
    confirmations: number
    events: readonly CreditableEvent[]
  },
  admit?: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  const { chainId, wallet, txHash } = credit
  const movementOf = ({ amount, reference = '' }: { amount: Usdc; reference?: string }): Movement => ({
    kind: 'deposit',
    wallet,
    amount,
    reference,
  })
  return deps.db.transaction(async tx => {
    const books = await lockBooks(tx, credit.events.map(movementOf))
    if (admit !== undefined && !(await admit(tx))) return false
    const open = await lockUncredited(tx, { chainId, txHash, logIndexes: credit.events.map(logIndexOf) })
    const mine = open.filter(row => row.wallet === wallet)
    for (const row of mine) {
      const isPosted = books.post(movementOf(row))
      if (!isPosted) throw new RangeError(`The deposit ${row.reference} could not be posted.`)
    }
    await books.write()
    if (mine.length > 0) await markCredited(tx, { chainId, txHash, logIndexes: mine.map(logIndexOf) })
    await writeCredit(tx, { ...credit, id: deps.ids.next('dep') })
    const credited = mine.map((row): Announcement => {
      const key = eventKey({ chainId, txHash, logIndex: row.logIndex })
      const data = { amountUsdc: formatUsdc(row.amount), chainId, txHash, eventKey: key }
      return { owner: wallet, type: 'deposit.credited', data, onceKey: row.reference }
    })
    await announce(deps, tx, credited)
    return true
  })
}

const logIndexOf = ({ logIndex }: { readonly logIndex: number }) => logIndex
