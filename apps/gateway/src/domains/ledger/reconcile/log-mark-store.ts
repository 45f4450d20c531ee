import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Tx } from '../../../ports.ts'
import { MARK_CHECK, NO_HASH, statesOf } from './log-sql.ts'
import type { Finding } from './reconcile-store.ts'

/** Maximum difference of database clocks, in seconds: it may have failed over. */
const SLACK_SECONDS = 5

/** Sampling interval of rows for their time, and samples per part. */
const STRIDES = 16

/** The part of the log to compare next. */
export type LogPart = {
  /** Calls drawn before this time were looked up in the log; database text. */
  readonly drawnFrom: string
  /** Rows up to this time were compared, and of this partition those up to this row; null: all projected rows. */
  readonly cut: { readonly at: string; readonly partition: number; readonly seq: bigint } | null
}

/**
 * Returns the part after the marks of a checkpoint: approximately this many rows of all partitions together, at most
 * twice as many, up to one time.
 */
export async function readLogPart(db: Queryable, checkpoint: bigint, rows: number): Promise<LogPart> {
  const stride = rows / STRIDES
  const [row] = await db.query<{ drawnFrom: string; at: string | null; partition: number; seq: bigint }>(sql`
    select coalesce((select min(drawn_from) from ledger_marks where checkpoint = ${checkpoint}), began_at)::text as drawn_from,
           cut.at::text as at, cut.partition, cut.seq
    from ledger_origin left join lateral (
      select l.at, l.partition, l.seq
      from ledger_projections j
      left join ledger_marks m on m.checkpoint = ${checkpoint} and m.partition = j.partition
      cross join generate_series(1, ${STRIDES}::integer) n
      cross join lateral (
        select at, partition, seq from ledger_log
        where ledger_log.partition = j.partition
          and ledger_log.seq = coalesce(m.seq, 0) + n * ${stride}::bigint offset 0) l
      where coalesce(m.seq, 0) + n * ${stride}::bigint < j.projected
      order by l.at, l.partition offset ${STRIDES - 1} limit 1) cut on true`)
  if (row === undefined) throw new Error('The start of the log is unknown.')
  const { drawnFrom, at, partition, seq } = row
  return { drawnFrom, cut: at === null ? null : { at, partition, seq } }
}

/** Time before which all calls have their rows in a part; database text, or `infinity`. */
export const drawnUpTo = ({ cut }: LogPart): Sql =>
  cut === null
    ? sql`'infinity'::timestamptz`
    : sql`${cut.at}::timestamptz - make_interval(secs => ${SLACK_SECONDS})`

/**
 * SQL: bounds of a part in each partition: `partition, head, head_hash, told, projected, seq, hash, drawn_seq, upto`.
 * `told`: the stored progress of the projection, whether or not such a row exists.
 */
export function windowsOf(checkpoint: bigint, { cut }: LogPart): Sql {
  const first = sql`
    select l.seq - 1 from ledger_log l
    where l.partition = p.partition and l.seq > coalesce(m.seq, 0) and l.seq <= j.projected and l.at > ${cut?.at}::timestamptz
    order by l.seq limit 1`
  const upto =
    cut === null
      ? sql`least(j.projected, p.head)`
      : sql`case when p.partition = ${cut.partition} then ${cut.seq}::bigint
              else coalesce((${first}), least(j.projected, p.head)) end`
  return sql`
    select p.partition, p.head, p.hash as head_hash, j.projected as told, least(j.projected, p.head) as projected,
           coalesce(m.seq, 0) as seq,
           coalesce(m.hash, ${NO_HASH}) as hash, coalesce(m.drawn_seq, 0) as drawn_seq, ${upto} as upto
    from ledger_partitions p
    join ledger_projections j on j.partition = p.partition
    left join ledger_marks m on m.checkpoint = ${checkpoint} and m.partition = p.partition`
}

/** End of a part. `at`: database time of the comparison, as text. */
export type LogEnd = {
  readonly partitions: readonly number[]
  /** By partition, as text. */
  readonly ends: readonly string[]
  readonly at: string
}

/** Moves the marks of a checkpoint to the end of a part, and stores the last states in the log up to there. */
export async function keepLogMark(tx: Tx, checkpoint: bigint, part: LogPart, end: LogEnd): Promise<void> {
  const { partitions, ends, at } = end
  const seen =
    part.cut === null ? sql`${at}::timestamptz - make_interval(secs => ${SLACK_SECONDS})` : drawnUpTo(part)
  const drawnFrom = sql`greatest(${part.drawnFrom}::timestamptz, ${seen})`
  await tx.query(sql`
    with
    parts as materialized (
      select e.partition, coalesce(m.seq, 0) as seq, coalesce(m.drawn_seq, 0) as drawn_seq,
             coalesce(m.hash, ${NO_HASH}) as hash, e.upto
      from unnest(${partitions}::smallint[], ${ends}::bigint[]) as e (partition, upto)
      left join ledger_marks m on m.checkpoint = ${checkpoint} and m.partition = e.partition),
    lines as materialized (
      select l.* from parts w cross join lateral (
        select partition, seq, credentials, policies, accounts, changed from ledger_log
        where ledger_log.partition = w.partition and ledger_log.seq > w.seq and ledger_log.seq <= w.upto
        order by ledger_log.seq) l),
    of_states as (
      insert into ledger_states (checkpoint, kind, id, state, is_rewritten)
      select distinct on (kind, id) ${checkpoint}, kind, id, state, is_rewritten
      from (${statesOf(sql`lines`)}) s order by kind, id, seq desc
      on conflict (checkpoint, kind, id) do update
        set state = excluded.state, is_rewritten = excluded.is_rewritten)
    insert into ledger_marks (checkpoint, partition, seq, hash, drawn_from, drawn_seq)
    select ${checkpoint}, w.partition, w.upto,
           coalesce((select l.hash from ledger_log l where l.partition = w.partition and l.seq = w.upto), w.hash),
           ${drawnFrom},
           coalesce((
             select l.seq - 1 from ledger_log l
             where l.partition = w.partition and l.seq > w.drawn_seq and l.seq <= w.upto
               and l.at >= ${drawnFrom} - make_interval(secs => ${SLACK_SECONDS})
             order by l.seq limit 1), w.upto)
    from parts w
    on conflict (checkpoint, partition) do update
      set seq = excluded.seq, hash = excluded.hash, drawn_from = excluded.drawn_from, drawn_seq = excluded.drawn_seq`)
}

/** Returns the log rows that changed since they were compared for a checkpoint. */
export function readMarkFaults(db: Queryable, checkpoint: bigint): Promise<Finding[]> {
  return db.query<Finding>(sql`
    select ${MARK_CHECK} as "check", format('partition %s, row %s', m.partition, m.seq) as row,
           '0x' || encode(m.hash, 'hex') as expected, coalesce('0x' || encode(l.hash, 'hex'), 'missing') as found
    from ledger_marks m left join ledger_log l on l.partition = m.partition and l.seq = m.seq
    where m.checkpoint = ${checkpoint} and m.seq > 0 and l.hash is distinct from m.hash
    order by m.partition`)
}
