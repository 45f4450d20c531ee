import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'

/** Maximum due targets that are counted. */
const COUNTED_MAX = 10_000

/** Returns the number of targets due for a probe, of all gateways. */
export async function measureProbesDue(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(sql`
    select count(*) as count from (
      select 1 from service_targets where next_probe_at <= now() limit ${COUNTED_MAX}) as due`)
  return Number(row?.count ?? 0n)
}
