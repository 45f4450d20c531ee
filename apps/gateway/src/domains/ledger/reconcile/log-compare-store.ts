import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '../../../ports.ts'
import { drawnUpTo, type LogEnd, type LogPart, windowsOf } from './log-mark-store.ts'
import {
  ACCOUNT_REWRITTEN,
  CALL_CHECK,
  CALL_REWRITTEN,
  DIFFERING_CALLS,
  differingAccounts,
  FOLD_CHECK,
  HASH_CHECK,
  HEAD_CHECK,
  NO_HASH,
  NUMBER_CHECK,
  ORIGIN_CHECK,
  PROJECTED_CHECK,
  STATE_CHECK,
  STORED_STATE,
  statesOf,
} from './log-sql.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from './reconcile-store.ts'

/**
 * Scope beyond the rows of a part. `new`: also their last state; `step`: nothing, as later rows may change it; `all`:
 * after the whole log was read, the last state of everything in it.
 */
export type LogScope = 'new' | 'step' | 'all'

/** Findings and progress of a comparison. */
export type LogComparison = {
  readonly findings: readonly Finding[]
  readonly end: LogEnd
  readonly isAll: boolean
}

/** SQL: rows that break the hash chain: `check, row, expected, found`, over `windows` and `lines`. */
const CHAIN_FAULTS = sql`
  select ${NUMBER_CHECK} as "check", format('partition %s, row %s', partition, seq) as row,
         (before_seq + 1)::text as expected, seq::text as found
  from lines where seq <> before_seq + 1
  union all
  select ${NUMBER_CHECK}, format('partition %s, row %s', w.partition, w.upto), w.upto::text, 'missing'
  from windows w
  where w.upto > w.seq and not exists (select from lines l where l.partition = w.partition and l.seq = w.upto)
  union all
  select ${HASH_CHECK}, format('partition %s, row %s', partition, seq), '0x' || encode(due_hash, 'hex'),
         '0x' || encode(hash, 'hex')
  from lines where seq = before_seq + 1 and hash <> due_hash
  union all
  select ${HEAD_CHECK}, format('partition %s', w.partition), format('row %s with 0x%s', w.head, encode(w.head_hash, 'hex')),
         format('row %s with 0x%s', coalesce(l.seq, 0), encode(coalesce(l.hash, ${NO_HASH}), 'hex'))
  from windows w left join lateral (
    select seq, hash from ledger_log where ledger_log.partition = w.partition order by ledger_log.seq desc limit 1) l
    on true
  where (w.head, w.head_hash) <> (coalesce(l.seq, 0), coalesce(l.hash, ${NO_HASH}))
  union all
  select ${PROJECTED_CHECK}, format('partition %s', partition), format('at most %s', head), told::text
  from windows where told > head`

/** Calls that rows of the log hold or change, from the time that the calls compared were drawn: a query of `id`. */
const EXPLAINED = sql`
  select case when json_typeof(h) = 'object' then h ->> 'id' end as id
  from windows w
  cross join lateral (
    select held from ledger_log l where l.partition = w.partition and l.seq > w.drawn_seq and l.seq <= w.upto
      and json_typeof(l.held) = 'array' order by l.seq) l
  cross join lateral json_array_elements(l.held) h
  union all
  select coalesce(l.changed #>> '{row,invocation_id}', l.changed #>> '{row,id}')
  from windows w
  cross join lateral (
    select changed from ledger_log l where l.partition = w.partition and l.seq > w.drawn_seq and l.seq <= w.upto
      and l.changed ->> 'table' in ('open_calls', 'invocations') order by l.seq) l`

/** SQL: calls drawn since the last comparison that no log row explains: `row`. */
function unexplained(part: LogPart): Sql {
  return sql`
    select i.id as row, i.owner from invocations i
    where i.drawn_at >= ${part.drawnFrom}::timestamptz and i.drawn_at < ${drawnUpTo(part)}
      and not exists (select from explained e where e.id = i.id)
    limit ${FINDINGS_PER_CHECK_MAX}`
}

/** SQL condition: a log row holds the call `u.row`, at any position; for the few not found near their time. */
const IS_HELD_ANYWHERE = sql`
  exists (
    select from ledger_log l where l.partition = ledger_partition_of(u.owner)
      and (strpos(l.held::text, u.row) > 0 or strpos(l.changed::text, u.row) > 0))`

/**
 * Compares a part of the log with its projection, in one statement and so one snapshot. If the chain is broken, only
 * that is reported for the part.
 */
export async function compareLogPart(
  tx: Tx,
  checkpoint: bigint,
  part: LogPart,
  scope: LogScope,
): Promise<LogComparison> {
  const events = (type: Sql, column: Sql): Sql => sql`
    select l.partition, l.seq, e.* from lines l cross join lateral json_populate_recordset(
      null::${type}, case when l.hash = l.due_hash then ${column} end) e`
  const [row] = await tx.query<LogEnd & { isAll: boolean; findings: Finding[] }>(sql`
    with
    windows as materialized (${windowsOf(checkpoint, part)}),
    read as materialized (
      select l.*, lag(l.seq, 1, w.seq) over chain as before_seq, lag(l.hash, 1, w.hash) over chain as before_hash
      from windows w cross join lateral (
        select * from ledger_log
        where ledger_log.partition = w.partition and ledger_log.seq > w.seq and ledger_log.seq <= w.upto
        order by ledger_log.seq) l
      window chain as (partition by l.partition order by l.seq)),
    lines as materialized (
      select *, ledger_hash(before_hash, partition, seq, writer, held::text, awaited::text, ended::text,
        credentials::text, policies::text, accounts::text, changed::text) as due_hash from read),
    sound as materialized (select * from lines where hash = due_hash),
    held as materialized (${events(sql`ledger_held`, sql`l.held`)}),
    awaited as materialized (${events(sql`ledger_awaited`, sql`l.awaited`)}),
    ended as materialized (${events(sql`ledger_ended`, sql`l.ended`)}),
    said as materialized (${statesOf(sql`sound`)}),
    newest as materialized (
      select distinct on (kind, id) partition, kind, id, state, is_rewritten from said order by kind, id, seq desc),
    kept as materialized (
      select k.kind, k.id, k.state, k.is_rewritten from ledger_states k
      where ${scope === 'all'} and k.checkpoint = ${checkpoint}),
    explained as materialized (${EXPLAINED}),
    chain as materialized (${CHAIN_FAULTS}),
    calls as materialized (${DIFFERING_CALLS}),
    accounts_moved as materialized (${differingAccounts(checkpoint)}),
    states as (
      select n.kind, n.id, n.state, n.is_rewritten from newest n join windows w on w.partition = n.partition
      where ${scope !== 'step'} and w.upto = w.projected
      union all
      select k.kind, k.id, k.state, k.is_rewritten from kept k
      where ${scope === 'all'} and (select bool_and(upto >= projected) from windows)
        and not exists (select from newest n where n.kind = k.kind and n.id = k.id)),
    unexplained as materialized (${unexplained(part)}),
    projected as (
      select ${CALL_CHECK} as "check", d.row, d.expected, d.found from calls d where not ${CALL_REWRITTEN}
      union all
      select ${FOLD_CHECK}, format('%s, partition %s, row %s', d.owner, d.partition, d.seq), d.expected, d.found
      from accounts_moved d where ${scope === 'new'} or not ${ACCOUNT_REWRITTEN}
      union all
      select ${STATE_CHECK}, s.kind || ' ' || s.id, s.state::text, coalesce(now.state::text, 'missing')
      from states s left join lateral (select state from (${STORED_STATE}) stored offset 0) now on true
      where now.state is distinct from s.state and (now.state is not null or not s.is_rewritten)
      union all
      select ${ORIGIN_CHECK}, u.row, 'a row of the log', 'none' from unexplained u where not ${IS_HELD_ANYWHERE}),
    findings as (
      select * from chain
      union all select * from projected where not exists (select from chain)),
    numbered as (select *, row_number() over (partition by "check" order by row) as n from findings)
    select (select coalesce(json_agg(json_build_object('check', "check", 'row', row, 'expected', expected, 'found', found)
              order by "check", row), '[]') from numbered where n <= ${FINDINGS_PER_CHECK_MAX}) as findings,
           array_agg(partition order by partition) as partitions,
           array_agg(upto::text order by partition) as ends, bool_and(upto >= projected) as is_all,
           statement_timestamp()::text as at
    from windows`)
  if (row === undefined) throw new Error('The log has no partitions.')
  const { findings, isAll, ...end } = row
  return { findings, end, isAll }
}
