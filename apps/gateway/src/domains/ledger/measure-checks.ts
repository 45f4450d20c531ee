import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'

/** Checks among which one without findings is looked for. */
const LOOKED_AT_MAX = 10_000

/** What the checks of the books say, of all gateways; null where there is none. */
export type Checks = {
  /** Seconds since the newest check that found nothing, by database time. */
  readonly consistentAgeSeconds: number | null
  /** Rows that the newest check found to break an invariant. */
  readonly findings: number | null
}

/** Reads how the newest checks of the books went. */
export async function measureChecks(db: Queryable): Promise<Checks> {
  const [row] = await db.query<Checks>(sql`
    with newest as (select id, at, consistent, findings from reconciliations order by id desc limit ${LOOKED_AT_MAX})
    select extract(epoch from clock_timestamp() - max(at) filter (where consistent))::float8
             as "consistentAgeSeconds",
           (select jsonb_array_length(findings) from newest order by id desc limit 1) as findings
    from newest`)
  return row ?? { consistentAgeSeconds: null, findings: null }
}
