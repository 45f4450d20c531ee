import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Maximum count. */
const COUNTED_MAX = 10_000

/** Returns how many support tasks are open, up to a maximum, and since when the oldest is; 0 s if none is. */
export async function measureOpenTasks(db: Queryable): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await db.query<{ count: bigint; oldestSeconds: number }>(sql`
    select count(*) as count,
      coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest_seconds
    from (select created_at from support_tasks where status = 'open' order by id limit ${COUNTED_MAX}) open`)
  return { count: Number(row?.count ?? 0n), oldestSeconds: row?.oldestSeconds ?? 0 }
}
