import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../../../ports.ts'
import { LEG_CHECK, LEG_DUE, LEG_ROW, legsOf, PROMOTIONAL_EARNINGS } from './leg-sql.ts'
import type { Finding } from './reconcile-store.ts'

/** Entry ids, and calls, that one statement adds to the sums: some tenths of a second. */
const ENTRIES_PER_STEP = 100_000
const CALLS_PER_STEP = 25_000
/** Maximum number of stored incomplete movements; consistent books have one per open transaction. */
const CUT_MAX = 1_000
const ROWS_PER_DELETE = 10_000
/** Maximum wait for transactions that are inserting entries, in ms. */
const SETTLE_WAIT_MS = 300
/** Unfinished checkpoints are deleted after this many seconds without progress. */
const ABANDONED_SECONDS = 3_600
/** Maximum seconds between the creation of a call's id and its insertion: reads by id start this much earlier. */
const ID_SLACK_SECONDS = 60
/** Advisory lock of comparisons and promotions: two at a time would do the same work. */
const CHECK_LOCK = 4_207_719_001n

/** Range of a checkpoint's sums; see migrations/0019. */
export type Checkpoint = {
  readonly id: bigint
  /** Entries up to this id are in the sums. */
  readonly entryId: bigint
  /**
   * Calls drawn before this time are in the sums, except the carried ones; null: none. Database text, to the
   * microsecond.
   */
  readonly drawnBefore: string | null
  /** Calls up to this id were read; null when all were. */
  readonly sweptTo: string | null
  readonly sinceXid: string
  /** Findings of the summing itself. */
  readonly findings: readonly Finding[]
  /** Seconds since it was created. */
  readonly ageSeconds: number
  /**
   * True if rows can be compared with its transaction id: not after two billion transactions, nor in another cluster.
   */
  readonly isXidFit: boolean
}

const CHECKPOINT = sql`
  id, entry_id, nullif(drawn_before, '-infinity')::text as drawn_before, swept_to, since_xid::text, findings,
  extract(epoch from clock_timestamp() - made_at)::float8 as age_seconds,
  pg_snapshot_xmax(pg_current_snapshot())::text::numeric - since_xid::text::numeric between 0 and 1000000000 as is_xid_fit`

const CALL = sql`
  i.id, i.credential_id, i.owner, i.provider, i.service_id, i.status, i.charged, i.fee, i.promotional, i.drawn_at, i.finished_at`

/** SQL: `kind, reference, amount`: the incomplete movements of a checkpoint, each with the sum of its summed entries. */
export const cutMovements = (checkpoint: bigint): Sql => sql`
  select h.kind, h.reference, h.amount from book_checkpoints b,
    jsonb_to_recordset(b.cut_movements) as h (kind text, reference text, amount bigint)
  where b.id = ${checkpoint}`

/** Waits until no other gateway compares or promotes; holds the lock until the transaction ends. */
export async function lockChecks(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${CHECK_LOCK})`)
  await giveRoom(tx)
}

/** Gives the transaction enough memory for sums over many rows. */
export async function giveRoom(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('work_mem', '64MB', true)`)
}

/** Returns the checkpoint of the regular checks. */
export async function readLive(db: Queryable): Promise<Checkpoint> {
  const [row] = await db.query<Checkpoint>(sql`select ${CHECKPOINT} from book_checkpoints where is_live`)
  if (row === undefined) throw new Error('There is no live checkpoint of the books.')
  return row
}

/** Returns a checkpoint; undefined if it was deleted. */
export async function readCheckpoint(db: Queryable, id: bigint): Promise<Checkpoint | undefined> {
  const [row] = await db.query<Checkpoint>(sql`select ${CHECKPOINT} from book_checkpoints where id = ${id}`)
  return row
}

/** Returns the checkpoint over everything that is in progress, or undefined. */
export async function findSlow(db: Queryable): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: bigint }>(
    sql`select id from book_checkpoints where is_slow and not is_live order by id limit 1`,
  )
  return row?.id
}

/**
 * Starts a checkpoint over everything.
 *
 * @param settledSeconds calls drawn longer ago are all committed
 */
export async function beginCheckpoint(
  db: Queryable,
  options: { settledSeconds: number; isSlow: boolean },
): Promise<bigint> {
  // Unsummarised BRIN ranges are read at every step.
  await db.query(sql`select summarise_ages()`)
  const [row] = await db.query<{ id: bigint }>(sql`
    insert into book_checkpoints (is_slow, drawn_before)
    values (${options.isSlow}, clock_timestamp() - make_interval(secs => ${options.settledSeconds}))
    returning id`)
  if (row === undefined) throw new Error('A checkpoint could not be begun.')
  return row.id
}

/** Returns an id below which all entries are committed; null while a long transaction prevents that. */
export async function settledEntryId(db: Queryable): Promise<bigint | null> {
  const [row] = await db.query<{ id: bigint | null }>(sql`select settled_entry_id(${SETTLE_WAIT_MS}) as id`)
  return row?.id ?? null
}

/**
 * Adds the next entries to a checkpoint's sums: a bounded number, up to `upTo`.
 *
 * @returns true if all up to `upTo` are summed
 */
export async function sumEntries(tx: Tx, id: bigint, upTo: bigint): Promise<boolean> {
  await giveRoom(tx)
  const [row] = await tx.query<{ entryId: bigint }>(
    sql`select entry_id from book_checkpoints where id = ${id} for update`,
  )
  if (row === undefined || row.entryId >= upTo) return true
  const stepEnd = row.entryId + BigInt(ENTRIES_PER_STEP)
  const to = stepEnd < upTo ? stepEnd : upTo
  await tx.query(sql`
    with
    part as materialized (
      select id, kind, reference, account, amount from entries where id > ${row.entryId} and id <= ${to}),
    legs as materialized (${legsOf(raw('part'))}),
    sums as (
      select account, sum(amount) as posted, sum(captured) as captured from legs group by account),
    of_accounts as (
      insert into account_sums as kept (checkpoint, account, posted, captured, earned, promoted)
      select ${id}, account, posted, captured, 0, 0 from sums order by account
      on conflict (checkpoint, account) do update
        set posted = kept.posted + excluded.posted, captured = kept.captured + excluded.captured),
    halves as (
      select kind, reference, amount from part
      union all ${cutMovements(id)}),
    cut as (
      select kind, reference, sum(amount) as amount from halves group by kind, reference having sum(amount) <> 0
      order by kind, reference limit ${CUT_MAX}),
    wrong as (
      select ${LEG_CHECK} as "check", ${LEG_ROW} as row, ${LEG_DUE} as expected, amount::text as found
      from legs where due <> amount limit ${CUT_MAX})
    update book_checkpoints set
      entry_id = ${to}, worked_at = clock_timestamp(),
      entry_sum = entry_sum + (select coalesce(sum(amount), 0) from part),
      cut_movements = (select coalesce(jsonb_agg(to_jsonb(cut)), '[]') from cut),
      findings = case when jsonb_array_length(findings) > ${CUT_MAX} then findings
                 else findings || (select coalesce(jsonb_agg(to_jsonb(wrong)), '[]') from wrong) end
    where id = ${id}`)
  return to >= upTo
}

/**
 * Adds the next calls by id, a bounded number, to the sums of a checkpoint in progress.
 *
 * @returns true if all were read
 */
export async function sweepCalls(tx: Tx, id: bigint): Promise<boolean> {
  await giveRoom(tx)
  const [row] = await tx.query<{ sweptTo: string | null; drawnBefore: string }>(sql`
    select swept_to, drawn_before::text from book_checkpoints
    where id = ${id} for update`)
  if (row === undefined || row.sweptTo === null) return true
  const { sweptTo, drawnBefore } = row
  const { read, last } = await sumCalls(tx, {
    id,
    drawnBefore,
    part: sql`select ${CALL} from invocations i where id > ${sweptTo} order by id limit ${CALLS_PER_STEP}`,
  })
  const isAll = read < CALLS_PER_STEP
  await tx.query(sql`
    update book_checkpoints set swept_to = ${isAll ? null : last}, worked_at = clock_timestamp() where id = ${id}`)
  return isAll
}

/**
 * Moves a checkpoint forward in time: adds calls drawn before `to` to its sums, and carried calls that have ended.
 *
 * @param settledSeconds distance that it keeps from now
 * @param secondsMax     maximum move
 * @returns true if it cannot move further
 */
export async function moveOn(
  tx: Tx,
  id: bigint,
  { settledSeconds, secondsMax }: { settledSeconds: number; secondsMax: number },
): Promise<boolean> {
  const [row] = await tx.query<{ from: string; to: string; isAll: boolean }>(sql`
    select drawn_before::text as "from",
           greatest(drawn_before, least(horizon, drawn_before + make_interval(secs => ${secondsMax})))::text as "to",
           horizon <= drawn_before + make_interval(secs => ${secondsMax}) as is_all
    from book_checkpoints, lateral (
      select clock_timestamp() - make_interval(secs => ${settledSeconds}) as horizon offset 0) h
    where id = ${id} for update of book_checkpoints`)
  if (row === undefined) return true
  const { from, to } = row
  await sumCalls(tx, {
    id,
    drawnBefore: to,
    part: sql`
      select ${CALL} from invocations i where i.drawn_at >= ${from} and i.drawn_at < ${to}
      union all
      select ${CALL} from carried_calls k cross join lateral (
        select * from invocations where invocations.id = k.invocation_id offset 0) i
      where k.checkpoint = ${id} and i.drawn_at < ${from}`,
  })
  await tx.query(sql`
    update book_checkpoints set drawn_before = ${to}, worked_at = clock_timestamp() where id = ${id}`)
  return row.isAll
}

/** Adds calls that were drawn before a time and have ended to the sums; carries those still open. */
async function sumCalls(
  tx: Tx,
  from: { id: bigint; drawnBefore: string; part: Sql },
): Promise<{ read: number; last: string | null }> {
  const { id, drawnBefore, part } = from
  const [row] = await tx.query<{ read: number; last: string | null }>(sql`
    with
    part as materialized (${part}),
    settled as (select * from part where drawn_at < ${drawnBefore}),
    ended as materialized (select * from settled where status = 'SUCCEEDED'),
    open as (select * from settled where status in ('PENDING', 'PROCESSING')),
    carried as (
      insert into carried_calls (checkpoint, invocation_id, owner, provider)
      select ${id}, id, owner, provider from open on conflict do nothing),
    no_longer_carried as (
      delete from carried_calls k using settled s
      where k.checkpoint = ${id} and k.invocation_id = s.id and s.status not in ('PENDING', 'PROCESSING')),
    of_credentials as (
      insert into credential_sums as kept (checkpoint, credential_id, calls, spent, since, newest)
      select ${id}, c.id, count(*), coalesce(sum(e.charged) filter (where e.drawn_at >= c.interval_start), 0),
             c.interval_start, max(e.drawn_at)
      from ended e join credentials c on c.id = e.credential_id group by c.id
      on conflict (checkpoint, credential_id) do update
        set calls = kept.calls + excluded.calls,
            spent = excluded.spent + case when kept.since = excluded.since then kept.spent
                                          when kept.newest < excluded.since then 0 end,
            since = excluded.since, newest = greatest(kept.newest, excluded.newest)),
    of_owners as (
      insert into owner_sums as kept (checkpoint, owner, calls, charged, fees, month_spent, month_start, day_spent,
        day_start, newest)
      select ${id}, e.owner, count(*), sum(e.charged), sum(e.fee),
             coalesce(sum(e.charged) filter (where e.drawn_at >= p.month_start), 0), p.month_start,
             coalesce(sum(e.charged) filter (where e.drawn_at >= p.day_start), 0), p.day_start, max(e.drawn_at)
      from ended e left join spending_policies p on p.owner = e.owner group by e.owner, p.owner
      on conflict (checkpoint, owner) do update
        set calls = kept.calls + excluded.calls, charged = kept.charged + excluded.charged,
            fees = kept.fees + excluded.fees,
            month_spent = excluded.month_spent + case when kept.month_start = excluded.month_start then kept.month_spent
                                                      when kept.newest < excluded.month_start then 0 end,
            day_spent = excluded.day_spent + case when kept.day_start = excluded.day_start then kept.day_spent
                                                  when kept.newest < excluded.day_start then 0 end,
            month_start = excluded.month_start, day_start = excluded.day_start,
            newest = greatest(kept.newest, excluded.newest)),
    of_accounts as (
      insert into account_sums as kept (checkpoint, account, posted, captured, earned, promoted)
      select ${id}, account, 0, 0, sum(earned), sum(promoted)
      from (select 'provider:' || provider as account, charged - fee as earned, ${PROMOTIONAL_EARNINGS} as promoted
            from ended
            union all select 'fees', fee, 0 from ended where fee > 0
            union all select 'consumer:' || owner, 0, -promotional from ended where promotional > 0) e
      group by account order by account
      on conflict (checkpoint, account) do update
        set earned = kept.earned + excluded.earned, promoted = kept.promoted + excluded.promoted),
    of_days as (
      insert into earned_days as kept (checkpoint, provider, day, service_id, calls, earned)
      select ${id}, provider, coalesce(finished_at, drawn_at at time zone 'UTC')::date, service_id, count(*),
             sum(charged - fee)
      from (select provider, service_id, charged, fee, drawn_at, finished_at at time zone 'UTC' as finished_at
            from ended) e
      group by 2, 3, 4
      on conflict (checkpoint, provider, day, service_id) do update
        set calls = kept.calls + excluded.calls, earned = kept.earned + excluded.earned),
    of_fees as (
      update book_checkpoints set fee_sum = fee_sum + (select coalesce(sum(fee), 0) from ended) where id = ${id})
    select count(*)::int as read, max(id) as last from part`)
  if (row === undefined) throw new Error('The query of call sums returned no row.')
  return row
}

/** Stores findings of a checkpoint, up to a maximum. */
export async function keepFindings(tx: Tx, id: bigint, findings: readonly Finding[]): Promise<void> {
  await tx.query(sql`
    update book_checkpoints set findings = findings || ${JSON.stringify(findings)}::jsonb
    where id = ${id} and jsonb_array_length(findings) <= ${CUT_MAX}`)
}

/** Stores, after a clean comparison, the transaction from which rows must be compared again. */
export async function keepCompared(tx: Tx, id: bigint, sinceXid: string): Promise<void> {
  await tx.query(sql`
    update book_checkpoints b set since_xid = ${sinceXid}::xid8, worked_at = clock_timestamp(),
      first_call = coalesce(
        (select min(fresh.id) from (
          select i.id from invocations i
          where i.drawn_at >= b.drawn_before - make_interval(secs => ${ID_SLACK_SECONDS}) offset 0) fresh),
        (select max(i.id) from invocations i), '')
    where id = ${id}`)
}

/** Makes a checkpoint the live one unless a newer one is. Requires the lock of the checks. */
export async function promote(tx: Tx, id: bigint): Promise<void> {
  await tx.query(
    sql`update book_checkpoints set is_live = false, worked_at = '-infinity' where is_live and id < ${id}`,
  )
  await tx.query(sql`
    update book_checkpoints set is_live = true, made_at = clock_timestamp()
    where id = ${id} and not exists (select from book_checkpoints where is_live)`)
}

const SUMS = [
  'account_sums',
  'credential_sums',
  'owner_sums',
  'earned_days',
  'carried_calls',
  'ledger_states',
  'ledger_marks',
] as const

/** Deletes a checkpoint unless it is live, and all abandoned ones. */
export async function clearAway(db: Db, id: bigint | null): Promise<void> {
  const useless = await db.query<{ id: bigint }>(sql`
    select id from book_checkpoints where not is_live
      and (id = ${id} or worked_at < clock_timestamp() - make_interval(secs => ${ABANDONED_SECONDS}))`)
  for (const { id: checkpoint } of useless) {
    for (const table of SUMS) {
      // Bounded: nobody adds to an abandoned checkpoint.
      while ((await deleteSome(db, raw(table), checkpoint)) === ROWS_PER_DELETE);
    }
    await db.query(sql`delete from book_checkpoints where id = ${checkpoint} and not is_live`)
  }
}

async function deleteSome(db: Db, table: Sql, checkpoint: bigint): Promise<number> {
  const rows = await db.query(sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where checkpoint = ${checkpoint} limit ${ROWS_PER_DELETE}))
    returning 1`)
  return rows.length
}
