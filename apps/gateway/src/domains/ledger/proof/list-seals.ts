import type { SealAnswer } from '@farebox/wire/balance'
import { type Page, pageOf } from '../../../http/paging.ts'
import type { Queryable } from '../../../ports.ts'
import { idOfCursor } from '../id-cursor.ts'
import { hexOf } from './merkle-rules.ts'
import { readSeals } from './seal-store.ts'

/**
 * The seals over the ledger, the newest first, so that anybody can keep one: whoever has kept the newest can tell later
 * whether anything that it is over, or that came before, has been changed.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
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
