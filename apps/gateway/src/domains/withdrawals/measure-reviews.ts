import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Maximum count. */
const COUNTED_MAX = 10_000

/** Returns how many withdrawals wait for review, up to a maximum, and since when the oldest does; 0 s if none does. */
export async function measureReviews(db: Queryable): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await db.query<{ count: bigint; oldestSeconds: number }>(sql`
    select count(*) as count,
      coalesce(extract(epoch from clock_timestamp() - min(updated_at)), 0)::float8 as oldest_seconds
    from (
      select updated_at from withdrawals where status = 'PENDING_REVIEW' order by id limit ${COUNTED_MAX}) waiting`)
  return { count: Number(row?.count ?? 0n), oldestSeconds: row?.oldestSeconds ?? 0 }
}
