import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { bigints, smallints, texts, times } from '../../sql/pg-arrays.ts'
import type { Balance, BudgetUse, CallRate } from './rules.ts'

/** Rows of a partition of the log: those after `after`, up to `upto`. */
export type LogRange = { readonly partition: number; readonly after: bigint; readonly upto: bigint }

/** Length of the buckets of calls, and the time over which they are added up, in minutes. */
const BUCKET_MINUTES = 5
const RATE_MINUTES = 60
/**
 * Time for which a refusal is looked at again, in seconds: gateways write those of the last seconds at once, each in its
 * own time.
 */
const REFUSAL_SECONDS = 30

/** Refusals of owners who watch their budgets, for want of credit, since the last look. */
const refused = sql`
  alert_cursor k join call_refusals r
    on r.hour >= date_trunc('hour', now() - ${REFUSAL_SECONDS} * interval '1 second', 'UTC')
    and r.last_at > k.refusals_until - ${REFUSAL_SECONDS} * interval '1 second'
    and r.limit_name = 'credential_credit'
  join alert_settings s on s.owner = r.owner and 100 = any(s.budget_percents) and r.last_at > s.budgets_since`

const { text, values } = sql`
  select exists (
      select from alert_cursor c join ledger_projections j on j.projected > c.positions[j.partition + 1])
    or exists (select from ${refused}) as is_new`

/** Returns true if there is something to look at. Prepared: at rest, its plan would cost more than its rows. */
export async function isAnythingNew(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isNew: boolean }>({ name: 'alerts_new', text, values })
  return row?.isNew === true
}

/** Locks the cursor until the transaction ends; returns false if another gateway holds it. */
export async function lockCursor(tx: Tx): Promise<boolean> {
  // No estimate may make it read the whole log, or all owners.
  await tx.query(sql`
    select set_config(name, 'off', true)
    from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin}'::text[]) as name`)
  const rows = await tx.query(sql`select 1 from alert_cursor for update skip locked`)
  return rows.length > 0
}

/** Returns the next projected rows of each partition, at most `rowsMax` of each. Nobody watches: none, and all are passed. */
export async function readRanges(tx: Tx, rowsMax: number): Promise<LogRange[]> {
  const ranges = await tx.query<LogRange>(sql`
    select j.partition, c.positions[j.partition + 1] as after,
      least(j.projected, c.positions[j.partition + 1] + ${rowsMax}) as upto
    from alert_cursor c cross join ledger_projections j
    where exists (select from alert_settings) order by j.partition`)
  if (ranges.length === 0) {
    await tx.query(sql`
      update alert_cursor
      set positions = (select array_agg(j.projected order by j.partition) from ledger_projections j)`)
  }
  return ranges
}

/** Advances the cursor to the end of ranges of all partitions. */
export async function advanceCursor(tx: Tx, ranges: readonly LogRange[]): Promise<void> {
  await tx.query(sql`
    update alert_cursor
    set positions = ${bigints(ranges, ({ upto }) => upto)}::bigint[], refusals_until = clock_timestamp()`)
}

/** Rows of the log, as `l`. Each range is looked up by itself: `offset 0` keeps the planner from joining the whole log. */
const rowsOf = (ranges: readonly LogRange[]) => sql`
  unnest(
    ${smallints(ranges, ({ partition }) => partition)}::smallint[], ${bigints(ranges, ({ after }) => after)}::bigint[],
    ${bigints(ranges, ({ upto }) => upto)}::bigint[]) as b (partition, after, upto)
  cross join lateral (
    select * from ledger_log g where g.partition = b.partition and g.seq > b.after and g.seq <= b.upto offset 0) l`

/** A balance, and what its owner watches; `below` in micro-USDC, null: the threshold of the gateway. */
export type BalanceRow = Balance & {
  readonly owner: string
  readonly below: bigint | null
  readonly seen: bigint
}

/** Returns the balances of owners who watch theirs, in order. */
export function readBalances(tx: Tx, ranges: readonly LogRange[]): Promise<BalanceRow[]> {
  return tx.query<BalanceRow>(sql`
    select s.owner, a.posted, a.reserved, s.balance_below as below, s.balance_seen as seen
    from ${rowsOf(ranges)}
    cross join lateral (
      select x.owner, x.posted, x.reserved, l.at from json_populate_recordset(null::ledger_account, l.accounts) x
      where l.accounts is not null
      union all
      select l.changed ->> 'owner', (l.changed #>> '{row,posted}')::bigint, (l.changed #>> '{row,reserved}')::bigint, l.at
      where l.changed ->> 'table' = 'accounts'
      -- Owners are looked up by what is read, not the other way round.
      offset 0) a
    join alert_settings s on s.owner = a.owner and s.watches_balance and a.at > s.balance_since
    order by l.partition, l.seq`)
}

/** Writes the last seen balances, in one order of owners. */
export async function writeSeen(
  tx: Tx,
  seen: readonly { readonly owner: string; readonly posted: bigint }[],
): Promise<void> {
  await tx.query(sql`
    update alert_settings s set balance_seen = n.posted
    from unnest(${texts(seen, ({ owner }) => owner)}::text[], ${bigints(seen, ({ posted }) => posted)}::bigint[])
      as n (owner, posted)
    where s.owner = n.owner`)
}

/** Returns the last use of credentials in each interval, of owners who watch them; and those whose calls were refused. */
export function readBudgets(tx: Tx, ranges: readonly LogRange[]): Promise<BudgetUse[]> {
  return tx.query<BudgetUse>(sql`
    with used as (
      select distinct on (x.id, x.interval_start) x.id, x.interval_start, x.spent, x.calls_used, l.at
      from ${rowsOf(ranges)}
      cross join lateral (
        select y.id, y.interval_start, y.spent, y.calls_used
        from json_populate_recordset(null::ledger_credential, l.credentials) y where l.credentials is not null
        union all
        select y.id, y.interval_start, y.spent, y.calls_used
        from json_populate_record(null::ledger_credential, l.changed -> 'row') y
        where l.changed ->> 'table' = 'credentials') x
      order by x.id, x.interval_start, l.seq desc)
    select s.owner, c.id as credential_id, c.max_calls, c.credit_limit, u.calls_used, u.spent, c.reset_interval,
      u.interval_start, false as is_refused, s.budget_percents as percents
    from used u join credentials c on c.id = u.id
    join alert_settings s on s.owner = c.owner and s.budget_percents <> '{}' and u.at > s.budgets_since
    where c.credit_limit is not null or c.max_calls is not null
    union all
    select s.owner, c.id, c.max_calls, c.credit_limit, c.calls_used, c.spent, c.reset_interval, c.interval_start, true,
      s.budget_percents
    from ${refused} join credentials c on c.id = r.credential_id and r.last_at >= c.interval_start
    where c.credit_limit is not null`)
}

/**
 * Counts the calls that ended, of owners who watch their failure rate.
 *
 * @returns the calls of the last hour of each of them
 */
export async function countCalls(tx: Tx, ranges: readonly LogRange[]): Promise<CallRate[]> {
  const counted = await tx.query<{ owner: string; bucket: Date; calls: bigint; failures: bigint }>(sql`
    select s.owner, date_bin(${BUCKET_MINUTES} * interval '1 minute', e.at, timestamptz 'epoch') as bucket,
      count(*) as calls, count(*) filter (where e.status <> 'SUCCEEDED') as failures
    from ${rowsOf(ranges)}
    cross join lateral json_to_recordset(l.ended) as e (owner text, status text, at timestamptz)
    join alert_settings s on s.owner = e.owner and s.failure_percent is not null
    where l.ended is not null group by 1, 2`)
  if (counted.length === 0) return []
  await tx.query(sql`
    insert into alert_calls as c (owner, bucket, calls, failures)
    select * from unnest(
      ${texts(counted, ({ owner }) => owner)}::text[], ${times(counted, ({ bucket }) => bucket)}::timestamptz[],
      ${bigints(counted, ({ calls }) => calls)}::bigint[], ${bigints(counted, ({ failures }) => failures)}::bigint[])
    on conflict (owner, bucket) do update
    set calls = c.calls + excluded.calls, failures = c.failures + excluded.failures`)
  return tx.query<CallRate>(sql`
    select s.owner, s.failure_percent as percent, s.failure_calls_min as min_calls, s.is_failing,
      coalesce(sum(c.calls), 0)::float8 as calls, coalesce(sum(c.failures), 0)::float8 as failures
    from alert_settings s left join alert_calls c
      on c.owner = s.owner and c.bucket > now() - ${RATE_MINUTES} * interval '1 minute'
    where s.owner = any(${[...new Set(counted.map(({ owner }) => owner))]}) group by s.owner`)
}

/** Writes which owners' failure rates are above the limit. */
export async function writeFailing(
  tx: Tx,
  rates: readonly { readonly owner: string; readonly isFailing: boolean }[],
): Promise<void> {
  const now = rates.filter(({ isFailing }) => isFailing).map(({ owner }) => owner)
  await tx.query(sql`
    update alert_settings set is_failing = owner = any(${now}) where owner = any(${rates.map(({ owner }) => owner)})`)
}

/** Deletes a batch of counts that no rate adds up any more. Returns their number. */
export async function deleteOldCalls(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from alert_calls where (owner, bucket) in (
      select owner, bucket from alert_calls where bucket < now() - 2 * ${RATE_MINUTES} * interval '1 minute'
      limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}
