import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'

/** Open calls that are looked at; more is a gateway in trouble, and no figure is worth more trouble. */
const LOOKED_AT_MAX = 50_000

/**
 * How many calls hold money now, and how much in micro-USDC, of all gateways. One lookup by key for each, never a scan
 * of the invocations: `offset 0` keeps the planner from turning it into a join that would.
 */
export async function measureHolds(db: Queryable): Promise<{ count: bigint; amount: bigint }> {
  const [row] = await db.query<{ count: bigint; amount: bigint }>(sql`
    select count(*) as count, coalesce(sum(i.hold), 0)::bigint as amount
    from (select invocation_id from open_calls limit ${LOOKED_AT_MAX}) o
    cross join lateral (select hold from invocations where id = o.invocation_id offset 0) i`)
  return row ?? { count: 0n, amount: 0n }
}
