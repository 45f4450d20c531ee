import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Maximum count. */
const COUNTED_MAX = 10_000

/** Returns the number of pending deliveries of all gateways, up to a maximum. Uses a partial index. */
export async function measurePending(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(sql`
    select count(*) as count from (
      select 1 from webhook_deliveries where status = 'pending' limit ${COUNTED_MAX}) as pending`)
  return Number(row?.count ?? 0n)
}
