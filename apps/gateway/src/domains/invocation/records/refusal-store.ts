import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { bigints, texts, times } from '../../../sql/pg-arrays.ts'
import type { CountedRefusals } from './refusal-tally.ts'
import type { SpendingPeriod } from './spending-store.ts'

/** Maximum rows that are summed for a period, newest first. */
const ROWS_MAX = 50_000

/** Adds counts to those of their hours, in one order, so that gateways do not deadlock. */
export async function addRefusals(db: Queryable, counts: readonly CountedRefusals[]): Promise<void> {
  await db.query(sql`
    insert into call_refusals as r (owner, hour, credential_id, code, limit_name, refusals, last_at)
    select * from unnest(
      ${texts(counts, ({ owner }) => owner)}::text[], ${times(counts, ({ hour }) => hour)}::timestamptz[],
      ${texts(counts, ({ credentialId }) => credentialId)}::text[], ${texts(counts, ({ code }) => code)}::text[],
      ${texts(counts, ({ limit }) => limit)}::text[], ${bigints(counts, ({ count }) => BigInt(count))}::bigint[],
      ${times(counts, ({ lastAt }) => lastAt)}::timestamptz[]) as t (owner, hour, credential_id, code, limit_name, n, at)
    order by owner, hour, credential_id, code, limit_name
    on conflict (owner, hour, credential_id, code, limit_name) do update
    set refusals = r.refusals + excluded.refusals, last_at = greatest(r.last_at, excluded.last_at)`)
}

/** Refused calls of a bucket, or of a credential for one reason; members of the other are null. */
export type RefusalRow = {
  readonly bucket: Date | null
  readonly credentialId: string | null
  readonly code: string | null
  readonly limitName: string | null
  readonly count: number
  readonly lastAt: Date
}

/** Returns the refused calls of the hours of a period that begin in it, by bucket and by reason. */
export function readRefusals(db: Queryable, period: SpendingPeriod): Promise<RefusalRow[]> {
  const { owner, from, to, bucket } = period
  return db.query<RefusalRow>(sql`
    with refused as (
      select * from call_refusals
      where owner = ${owner} and hour >= date_trunc('hour', ${from}::timestamptz) and hour < ${to}
      order by hour desc limit ${ROWS_MAX})
    select date_trunc(${bucket}, hour, 'UTC') as bucket, credential_id, code, limit_name,
      sum(refusals)::float8 as count, max(last_at) as last_at
    from refused group by grouping sets ((1), (credential_id, code, limit_name))`)
}

/** Deletes counts of hours before a time, oldest first; returns how many. */
export async function deleteOldRefusals(
  db: Queryable,
  query: { before: Date; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from call_refusals where (owner, hour, credential_id, code, limit_name) in (
      select owner, hour, credential_id, code, limit_name from call_refusals
      where hour < ${query.before} order by hour limit ${query.limit} for update skip locked)
    returning 1`)
  return rows.length
}
