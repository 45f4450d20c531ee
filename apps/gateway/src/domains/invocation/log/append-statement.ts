import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Statement } from '../../../ports.ts'
import { bigints, booleans, byteStrings, smallints, texts } from '../../../sql/pg-arrays.ts'
import { prepared } from '../../../sql/prepared.ts'
import { DRAW_AHEAD_MS_MAX } from '../../credentials/draw-budgets.ts'
import { LIVE_VERSION } from '../../services/live-version.ts'
import type { HoldRequest } from '../admission/admit.ts'
import type { Recording } from '../rules.ts'
import type { LogColumns } from './ledger-events.ts'

/** A row to append to a partition, and its requirements. */
export type Append = {
  readonly partition: number
  /** The row that the decision is based on, and its hash: the head at the time. */
  readonly position: { readonly head: bigint; readonly hash: Buffer }
  /** All null if nothing changes: then only the position and the requirements are checked. */
  readonly columns: LogColumns
  /** Idempotency keys that must be new. */
  readonly keys: readonly HoldRequest[]
  /** Services that must be callable at these versions. */
  readonly services: readonly (readonly [id: string, version: bigint])[]
  /** Stored in the same statement: answers and streams of calls that end, answers of calls with pending usage. */
  readonly answers: readonly { readonly id: string; readonly httpStatus: number; readonly body: string }[]
  readonly streams: readonly ({ readonly id: string } & Recording)[]
  readonly pending: readonly { readonly id: string; readonly result: string }[]
}

/**
 * Maximum delay of a decision's time behind the database's clock, in ms. Large enough for a slow statement: a busy
 * machine must not decide again for ever.
 */
const AGE_MS_MAX = 3_000
const TIME_RANGE = raw(`-${DRAW_AHEAD_MS_MAX} and ${AGE_MS_MAX}`)

/** A part of the statement: `check` is a condition of an append, `rows` are added to the result. */
type Part = { readonly name: string; readonly cte: Sql; readonly check?: Sql; readonly rows?: Sql }

/**
 * Returns the statement that appends: one round trip and one commit. It locks the partitions in order and appends to
 * each whose head and requirements match; leaves the others unchanged. It has only the parts that the batch needs:
 * PostgreSQL takes longer to start a part without rows than to write a row.
 *
 * Partitions are joined from arrays instead of compared with one: the generic plan then opens only those of a
 * partitioned table that are in the array. `offset 0` keeps the planner from reading a whole table into a join that was
 * planned while it was empty. Rows of earlier versions have no partition.
 */
export function appendStatement(
  appends: readonly Append[],
  { writer, now }: { writer: string; now: Date },
): Statement {
  const partitions = smallints(appends, ({ partition }) => partition)
  const requirements = [knownKeys(appends), staleServices(appends)].filter(part => part !== null)
  const stored = [newAnswers(appends), newStreams(appends), newPending(appends)].filter(part => part !== null)
  const statement = sql`
  with
  wanted as materialized (
    select * from unnest(${partitions}::smallint[], ${bigints(appends, ({ position }) => position.head)}::bigint[],
      ${byteStrings(appends, ({ position }) => position.hash)}::bytea[],
      ${texts(appends, ({ columns }) => columns.held)}::text[],
      ${texts(appends, ({ columns }) => columns.awaited)}::text[],
      ${texts(appends, ({ columns }) => columns.ended)}::text[],
      ${texts(appends, ({ columns }) => columns.credentials)}::text[],
      ${texts(appends, ({ columns }) => columns.policies)}::text[],
      ${texts(appends, ({ columns }) => columns.accounts)}::text[])
      as w (partition, head, hash, held, awaited, ended, credentials, policies, accounts)),
  locked as materialized (
    select p.partition, p.head, p.hash
    from unnest(${partitions}::smallint[]) as w (partition) join ledger_partitions p on p.partition = w.partition
    order by p.partition for update of p),
  ${all(requirements, ({ cte }) => cte)}
  good as materialized (
    select w.*, coalesce(w.held, w.awaited, w.ended, w.credentials, w.policies, w.accounts) is not null as is_written,
      ledger_hash(w.hash, w.partition, w.head + 1, ${writer}, w.held, w.awaited, w.ended, w.credentials, w.policies,
        w.accounts, null) as next_hash
    from wanted w join locked l on l.partition = w.partition and l.head = w.head and l.hash = w.hash
    where extract(epoch from clock_timestamp() - ${now}::timestamptz) * 1000 between ${TIME_RANGE}
      ${all(requirements, ({ check = empty }) => check)}),
  moved as (
    update ledger_partitions p set head = p.head + 1, hash = g.next_hash
    from good g where g.is_written and p.partition = g.partition),
  ${all(stored, ({ cte }) => cte)}
  of_log as (
    insert into ledger_log (partition, seq, writer, held, awaited, ended, credentials, policies, accounts, hash)
    select g.partition, g.head + 1, ${writer}, g.held::json, g.awaited::json, g.ended::json, g.credentials::json,
      g.policies::json, g.accounts::json, g.next_hash
    from good g where g.is_written)
  select 'position' as what, l.partition, l.head, l.hash, g.partition is not null as is_good,
    case when g.is_written then g.next_hash end as next_hash, j.projected, clock_timestamp() as at, null as id,
    null as credential, null as key, null as status, null::bigint as amount
  from locked l left join good g on g.partition = l.partition join ledger_projections j on j.partition = l.partition
  ${all(requirements, ({ rows = empty }) => rows)}`
  return prepared(
    ['ledger_append', ...[...requirements, ...stored].map(({ name }) => name)].join('_'),
    statement,
  )
}

/** Concatenates one fragment of each part. */
const all = (parts: readonly Part[], of: (part: Part) => Sql): Sql =>
  parts.reduce((before, part) => sql`${before}${of(part)}`, empty)

/** Rows of all appends with their partitions; null if there are none. */
function rowsOf<Item>(
  appends: readonly Append[],
  of: (append: Append) => readonly Item[],
): { rows: readonly { item: Item }[]; partitions: Buffer } | null {
  const rows = appends.flatMap(append => of(append).map(item => ({ partition: append.partition, item })))
  return rows.length === 0 ? null : { rows, partitions: smallints(rows, ({ partition }) => partition) }
}

function knownKeys(appends: readonly Append[]): Part | null {
  const keys = rowsOf(appends, append => append.keys)
  if (keys === null) return null
  const { rows, partitions } = keys
  return {
    name: 'keys',
    cte: sql`
  known as materialized (
    select k.partition, i.id, i.request_hash, i.status, i.drawn_at, i.hold, i.credential_id, i.idempotency_key
    from unnest(${partitions}::smallint[], ${texts(rows, ({ item }) => item.credentialId)}::text[],
      ${texts(rows, ({ item }) => item.idempotencyKey)}::text[]) as k (partition, credential_id, idempotency_key)
    cross join lateral (
      select * from invocations
      where invocations.credential_id = k.credential_id and invocations.idempotency_key = k.idempotency_key
        and (invocations.partition = k.partition or invocations.partition is null) offset 0) i),`,
    check: sql`and w.partition not in (select partition from known)`,
    rows: sql`
  union all
  select 'known', partition, null, request_hash, null, null, null, drawn_at, id, credential_id, idempotency_key,
    status, hold from known`,
  }
}

function staleServices(appends: readonly Append[]): Part | null {
  const services = rowsOf(appends, append => append.services)
  if (services === null) return null
  const { rows, partitions } = services
  return {
    name: 'services',
    cte: sql`
  stale as materialized (
    select partition, id, live from (
      select n.partition, n.id, n.version, ${raw(LIVE_VERSION)} as live
      from unnest(${partitions}::smallint[], ${texts(rows, ({ item: [id] }) => id)}::text[],
        ${bigints(rows, ({ item: [, version] }) => version)}::bigint[]) as n (partition, id, version) offset 0) n
    where live is distinct from version),`,
    check: sql`and w.partition not in (select partition from stale)`,
    rows: sql`
  union all
  select 'stale', partition, null, null, null, null, null, null, id, null, null, null, live from stale`,
  }
}

function newAnswers(appends: readonly Append[]): Part | null {
  const answers = rowsOf(appends, append => append.answers)
  if (answers === null) return null
  const { rows, partitions } = answers
  return {
    name: 'answers',
    cte: sql`
  of_answers as (
    insert into invocation_answers (invocation_id, http_status, body, partition)
    select a.id, a.http_status, a.body, a.partition
    from unnest(${partitions}::smallint[], ${texts(rows, ({ item }) => item.id)}::text[],
      ${smallints(rows, ({ item }) => item.httpStatus)}::smallint[], ${texts(rows, ({ item }) => item.body)}::text[])
      as a (partition, id, http_status, body)
    where a.partition in (select partition from good)),`,
  }
}

function newStreams(appends: readonly Append[]): Part | null {
  const streams = rowsOf(appends, append => append.streams)
  if (streams === null) return null
  const { rows, partitions } = streams
  return {
    name: 'streams',
    cte: sql`
  of_streams as (
    insert into invocation_streams (invocation_id, events, is_whole, partition)
    select a.id, a.events, a.is_whole, a.partition
    from unnest(${partitions}::smallint[], ${texts(rows, ({ item }) => item.id)}::text[],
      ${byteStrings(rows, ({ item }) => item.events)}::bytea[], ${booleans(rows, ({ item }) => item.isWhole)}::boolean[])
      as a (partition, id, events, is_whole)
    where a.partition in (select partition from good)),`,
  }
}

function newPending(appends: readonly Append[]): Part | null {
  const pending = rowsOf(appends, append => append.pending)
  if (pending === null) return null
  const { rows, partitions } = pending
  return {
    name: 'pending',
    cte: sql`
  of_pending as (
    insert into pending_results (invocation_id, result, partition)
    select a.id, a.result, a.partition
    from unnest(${partitions}::smallint[], ${texts(rows, ({ item }) => item.id)}::text[],
      ${texts(rows, ({ item }) => item.result)}::text[]) as a (partition, id, result)
    where a.partition in (select partition from good)),`,
  }
}
