import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Deliveries that are counted. */
const COUNTED_MAX = 10_000

/** How many deliveries are not over, of all gateways. Read off an index of just these. */
export async function measurePending(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(sql`
    select count(*) as count from (
      select 1 from webhook_deliveries where status = 'pending' limit ${COUNTED_MAX}) as pending`)
  return Number(row?.count ?? 0n)
}
