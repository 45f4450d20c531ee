import type { SealAnswer } from '@farebox/wire/balance'
import { type Page, pageOf } from '../../../http/paging.ts'
import type { Queryable } from '../../../ports.ts'
import { idOfCursor } from '../id-cursor.ts'
import { hexOf } from './merkle-rules.ts'
import { readSeals } from './seal-store.ts'

/**
 * Returns the seals over the ledger, newest first. Whoever keeps the newest can later detect changes of anything that
 * it or an earlier seal covers.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listSeals(
  db: Queryable,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<SealAnswer>> {
  const rows = await readSeals(db, { below: idOfCursor(cursor), limit: limit + 1 })
  const page = pageOf(rows, limit, ({ number }) => number.toString())
  const items = page.items.map(
    ({ number, afterEntry, lastEntry, entries, root, previous, hash, sealedAt, heads }): SealAnswer => ({
      number: Number(number),
      afterEntryId: afterEntry.toString(),
      lastEntryId: lastEntry.toString(),
      entries,
      root: hexOf(root),
      previousHash: hexOf(previous),
      hash: hexOf(hash),
      sealedAt: sealedAt.toISOString(),
      heads: heads === null ? null : [...heads],
    }),
  )
  return { ...page, items }
}
