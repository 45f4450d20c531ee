import { formatUsdc, type Usdc } from '@farebox/money'
import { SPENDING_GROUPS_MAX, type Spending } from '@farebox/wire/usage'
import sql from 'sql-template-tag'
import type { Deps } from '../../../ports.ts'

/** Maximum calls of a wallet that are summed, newest first: some hundreds of ms. */
const SCAN_MAX = 100_000

type Sums = { readonly calls: number; readonly failed: number; readonly spent: Usdc }
type Row = Sums & {
  /** UTC day; null unless the row is of one. Likewise the next two. */
  readonly day: string | null
  readonly serviceId: string | null
  readonly credentialId: string | null
  /** Of the total: time of the oldest scanned call, and the number of scanned calls. */
  readonly oldest: Date | null
  readonly looked: number
}

/**
 * Sums the cost of a wallet's newest {@link SCAN_MAX} calls.
 *
 * @param period.owner in lower case
 * @param period.days  UTC days, including today
 * @returns amounts as wire strings; `countedFrom` is set if the period has more calls than were summed
 */
export async function sumSpending(
  { db }: Pick<Deps, 'db'>,
  { owner, days }: { owner: string; days: number },
): Promise<Spending> {
  // Queried as a range: see ofParty in store.ts.
  const rows = await db.query<Row>(sql`
    with newest as materialized (
      select i.service_id, i.credential_id, i.drawn_at, i.charged, i.status from invocations i
      where i.owner >= ${owner} and i.owner <= ${owner} order by i.owner desc, i.id desc limit ${SCAN_MAX}),
    counted as (
      select *, to_char(drawn_at at time zone 'UTC', 'YYYY-MM-DD') as day from newest
      where drawn_at >= (date_trunc('day', now(), 'UTC') - make_interval(days => ${days - 1}::integer)))
    select day, service_id, credential_id, count(*)::int as calls,
      (count(*) filter (where status in ('FAILED_RETRYABLE', 'FAILED_FINAL')))::int as failed,
      coalesce(sum(charged), 0)::bigint as spent, min(drawn_at) as oldest,
      (select count(*)::int from newest) as looked
    from counted group by grouping sets ((day), (service_id), (credential_id), ())`)
  const reported = ({ calls, failed, spent }: Sums) => ({
    calls,
    failedCalls: failed,
    spentUsdc: formatUsdc(spent),
  })
  const dearest = rows.toSorted((a, b) =>
    a.spent === b.spent ? b.calls - a.calls : a.spent < b.spent ? 1 : -1,
  )
  const whole = rows.find(row => row.day === null && row.serviceId === null && row.credentialId === null)
  return {
    days,
    total: reported(whole ?? { calls: 0, failed: 0, spent: 0n as Usdc }),
    byDay: rows
      .flatMap(row => (row.day === null ? [] : [{ day: row.day, ...reported(row) }]))
      .toSorted((a, b) => a.day.localeCompare(b.day)),
    byService: dearest
      .flatMap(row => (row.serviceId === null ? [] : [{ serviceId: row.serviceId, ...reported(row) }]))
      .slice(0, SPENDING_GROUPS_MAX),
    byCredential: dearest
      .flatMap(row =>
        row.credentialId === null ? [] : [{ credentialId: row.credentialId, ...reported(row) }],
      )
      .slice(0, SPENDING_GROUPS_MAX),
    countedFrom: isCut(whole) ? (whole.oldest?.toISOString() ?? null) : null,
  }
}

/** True if the period continues beyond the last scanned call. */
function isCut(whole: Row | undefined): whole is Row {
  return whole !== undefined && whole.looked === SCAN_MAX && whole.calls === SCAN_MAX
}
