import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'

/** Maximum calls of a wallet that are scanned, newest first. */
const SCAN_MAX = 1_000

/**
 * Returns the ids of services that a wallet paid recently, most recent first: the charged ones of its newest {@link
 * SCAN_MAX} calls.
 *
 * @param query.owner in lower case
 */
export async function readPaidServices(
  db: Queryable,
  { owner, limit }: { owner: string; limit: number },
): Promise<string[]> {
  // Queried as a range: see ofParty in store.ts.
  const rows = await db.query<{ id: string }>(sql`
    select service_id as id from (
      select i.id, i.service_id, i.charged from invocations i
      where i.owner >= ${owner} and i.owner <= ${owner} order by i.owner desc, i.id desc limit ${SCAN_MAX}) newest
    where charged > 0 group by service_id order by max(newest.id) desc limit ${limit}`)
  return rows.map(({ id }) => id)
}
