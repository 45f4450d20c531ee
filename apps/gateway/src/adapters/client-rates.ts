import sql from 'sql-template-tag'
import type { ClientRates, Deps, Queryable } from '../ports.ts'

/** Retention of the row of an idle client, in ms: longer than every window of a public read. */
const KEPT_MS = 2 * 3_600_000
const DELETED_AT_ONCE_MAX = 10_000
/** More than the clocks of gateways differ. A row from later than that is from before the clock was set back. */
const APART_MAX = sql`interval '10 seconds'`

/** Token buckets as rows of `client_rates`, shared by all gateways. */
export function createClientRates(db: Queryable): ClientRates {
  return {
    async draw({ policy, client, used, quota, perSecond, at }) {
      const [row] = await db.query<{ level: number }>(sql`
        insert into client_rates as r (policy, client, level, at)
        values (${policy}, ${client}, ${quota - used}::float8, ${at})
        on conflict (policy, client) do update set
          level = least(${quota}::float8, r.level
            + greatest(0, extract(epoch from excluded.at - r.at))::float8 * ${perSecond}::float8) - ${used}::float8,
          at = case when r.at > excluded.at + ${APART_MAX} then excluded.at else greatest(r.at, excluded.at) end
        returning level`)
      if (row === undefined) throw new Error('The use of a rate was not stored.')
      return row.level
    },
  }
}

/** Job: deletes the rows of idle clients. The next run takes what is left. */
export async function pruneClientRates({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now() - KEPT_MS)
  await db.query(sql`
    delete from client_rates where (policy, client) in (
      select policy, client from client_rates where at < ${before}
      order by at limit ${DELETED_AT_ONCE_MAX} for update skip locked)`)
}
