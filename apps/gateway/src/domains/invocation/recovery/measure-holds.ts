import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'

/** Maximum open calls that are measured. */
const LOOKED_AT_MAX = 50_000

/**
 * Returns how many calls of all gateways hold money now, and how much in micro-USDC. One key lookup per call, never a
 * scan of the invocations: `offset 0` prevents a join that would scan.
 */
export async function measureHolds(db: Queryable): Promise<{ count: bigint; amount: bigint }> {
  const [row] = await db.query<{ count: bigint; amount: bigint }>(sql`
    select count(*) as count, coalesce(sum(i.hold), 0)::bigint as amount
    from (select invocation_id from open_calls limit ${LOOKED_AT_MAX}) o
    cross join lateral (select hold from invocations where id = o.invocation_id offset 0) i`)
  return row ?? { count: 0n, amount: 0n }
}
