import type { z } from 'zod'
import { pageIn } from './common.ts'

/** Query of `GET /balance/ledger`. */
export const listEntriesIn = pageIn
export type ListEntries = z.output<typeof listEntriesIn>

/** A ledger entry as the wire shows it. */
export type LedgerEntry = {
  readonly entryId: string
  /** Entries of one movement share it: its kind and the id of the record behind it. */
  readonly movementId: string
  readonly kind: string
  readonly account: 'consumer' | 'provider'
  /** Signed: negative for money that left the account. */
  readonly amountUsdc: string
  readonly reference: string
  readonly createdAt: string
}
