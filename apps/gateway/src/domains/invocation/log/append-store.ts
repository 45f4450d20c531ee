import type { Usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { Queryable, Tx } from '../../../ports.ts'
import { bigints, booleans, byteStrings, smallints, texts } from '../../../sql/pg-arrays.ts'
import { LIVE_VERSION } from '../../services/live-version.ts'
import { type HoldRequest, type KnownInvocation, keyOf } from '../admission/admit.ts'
import type { InvocationStatus, Recording } from '../rules.ts'
import type { LogColumns, LogRow } from './ledger-events.ts'

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

/** Result of an append. */
export type Appended = {
  /** Database time. */
  readonly now: Date
  readonly partitions: readonly {
    readonly partition: number
    /** Previous head of the partition. */
    readonly position: { readonly head: bigint; readonly hash: Buffer }
    /** True if the position and all requirements matched. Then the row, if any, was appended. */
    readonly isGood: boolean
    /** Hash of the appended row. */
    readonly hash: Buffer | null
    readonly projected: bigint
  }[]
  /** Keys that were not new. */
  readonly known: readonly {
    readonly partition: number
    readonly key: string
    readonly invocation: KnownInvocation
  }[]
  /** Current versions of services that have changed; null if the service cannot be called. */
  readonly stale: ReadonlyMap<string, bigint | null>
}

/** Maximum lead of a decision's time over the database's clock, in ms ... */
const AHEAD_MS_MAX = 200
/** ... and its maximum delay. Large enough for a slow statement: a busy machine must not decide again for ever. */
const AGE_MS_MAX = 3_000

/**
 * One statement: one round trip and one commit. Locks the partitions in order and appends to each whose head and
 * requirements match; leaves the others unchanged.
 *
 * Partitions are joined from arrays instead of compared with one: the generic plan then opens only those of a
 * partitioned table that are in the array. `offset 0` keeps the planner from reading a whole table into a join that was
 * planned while it was empty. Rows of earlier versions have no partition.
 */
const APPEND = `
  with
  wanted as materialized (
    select * from unnest($1::smallint[], $2::bigint[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[])
      as w (partition, head, hash, held, awaited, ended, credentials, policies, accounts)),
  locked as materialized (
    select p.partition, p.head, p.hash
    from unnest($1::smallint[]) as w (partition) join ledger_partitions p on p.partition = w.partition
    order by p.partition for update of p),
  known as materialized (
    select k.partition, i.id, i.request_hash, i.status, i.drawn_at, i.hold, i.credential_id, i.idempotency_key
    from unnest($12::smallint[], $13::text[], $14::text[]) as k (partition, credential_id, idempotency_key)
    cross join lateral (
      select * from invocations
      where invocations.credential_id = k.credential_id and invocations.idempotency_key = k.idempotency_key
        and (invocations.partition = k.partition or invocations.partition is null) offset 0) i),
  stale as materialized (
    select partition, id, live from (
      select n.partition, n.id, n.version, ${LIVE_VERSION} as live
      from unnest($15::smallint[], $16::text[], $17::bigint[]) as n (partition, id, version) offset 0) n
    where live is distinct from version),
  good as materialized (
    select w.*, coalesce(w.held, w.awaited, w.ended, w.credentials, w.policies, w.accounts) is not null as is_written,
      ledger_hash(w.hash, w.partition, w.head + 1, $10, w.held, w.awaited, w.ended, w.credentials, w.policies,
        w.accounts, null) as next_hash
    from wanted w join locked l on l.partition = w.partition and l.head = w.head and l.hash = w.hash
    where w.partition not in (select partition from known) and w.partition not in (select partition from stale)
      and extract(epoch from clock_timestamp() - $11::timestamptz) * 1000 between -${AHEAD_MS_MAX} and ${AGE_MS_MAX}),
  moved as (
    update ledger_partitions p set head = p.head + 1, hash = g.next_hash
    from good g where g.is_written and p.partition = g.partition),
  of_answers as (
    insert into invocation_answers (invocation_id, http_status, body, partition)
    select a.id, a.http_status, a.body, a.partition
    from unnest($18::smallint[], $19::text[], $20::smallint[], $21::text[]) as a (partition, id, http_status, body)
    where a.partition in (select partition from good)),
  of_streams as (
    insert into invocation_streams (invocation_id, events, is_whole, partition)
    select a.id, a.events, a.is_whole, a.partition
    from unnest($22::smallint[], $23::text[], $24::bytea[], $25::boolean[]) as a (partition, id, events, is_whole)
    where a.partition in (select partition from good)),
  of_pending as (
    insert into pending_results (invocation_id, result, partition)
    select a.id, a.result, a.partition from unnest($26::smallint[], $27::text[], $28::text[]) as a (partition, id, result)
    where a.partition in (select partition from good)),
  of_log as (
    insert into ledger_log (partition, seq, writer, held, awaited, ended, credentials, policies, accounts, hash)
    select g.partition, g.head + 1, $10, g.held::json, g.awaited::json, g.ended::json, g.credentials::json,
      g.policies::json, g.accounts::json, g.next_hash
    from good g where g.is_written)
  select 'position' as what, l.partition, l.head, l.hash, g.partition is not null as is_good,
    case when g.is_written then g.next_hash end as next_hash, j.projected, clock_timestamp() as at, null as id,
    null as credential, null as key, null as status, null::bigint as amount
  from locked l left join good g on g.partition = l.partition join ledger_projections j on j.partition = l.partition
  union all
  select 'known', partition, null, request_hash, null, null, null, drawn_at, id, credential_id, idempotency_key,
    status, hold from known
  union all
  select 'stale', partition, null, null, null, null, null, null, id, null, null, null, live from stale`

type AppendedRow =
  | {
      what: 'position'
      partition: number
      head: bigint
      hash: Buffer
      isGood: boolean
      nextHash: Buffer | null
      projected: bigint
      at: Date
    }
  | {
      what: 'known'
      partition: number
      hash: Buffer
      at: Date
      id: string
      credential: string
      key: string
      status: InvocationStatus
      amount: Usdc
    }
  | { what: 'stale'; partition: number; id: string; amount: bigint | null }

/**
 * Appends rows to partitions, in a transaction of its own unless `db` is one.
 *
 * @param from.writer unique name of the batch
 * @param from.now    the time of the decision
 */
export async function append(
  db: Queryable,
  appends: readonly Append[],
  from: { writer: string; now: Date },
): Promise<Appended> {
  const rows = await db.query<AppendedRow>({
    name: 'ledger_append',
    text: APPEND,
    values: valuesOf(appends, from),
  })
  const partitions: Appended['partitions'][number][] = []
  const known: Appended['known'][number][] = []
  const stale = new Map<string, bigint | null>()
  let now = from.now
  for (const row of rows) {
    if (row.what === 'stale') stale.set(row.id, row.amount)
    else if (row.what === 'known') {
      const key = keyOf({ credentialId: row.credential, idempotencyKey: row.key })
      const { partition, id, status, hash: requestHash, at: drawnAt, amount: hold } = row
      known.push({ partition, key, invocation: { id, requestHash, status, drawnAt, hold } })
    } else {
      const { partition, head, hash, isGood, nextHash, projected } = row
      partitions.push({ partition, position: { head, hash }, isGood, hash: nextHash, projected })
      now = row.at
    }
  }
  return { now, partitions, known, stale }
}

function valuesOf(appends: readonly Append[], { writer, now }: { writer: string; now: Date }): unknown[] {
  const each = <Item>(of: (append: Append) => Iterable<Item>) =>
    appends.flatMap(append => Array.from(of(append), item => ({ partition: append.partition, item })))
  const keys = each(append => append.keys)
  const services = each(append => append.services)
  const answers = each(append => append.answers)
  const streams = each(append => append.streams)
  const pending = each(append => append.pending)
  const partitionOf = ({ partition }: { readonly partition: number }) => partition
  return [
    smallints(appends, partitionOf),
    bigints(appends, ({ position }) => position.head),
    byteStrings(appends, ({ position }) => position.hash),
    texts(appends, ({ columns }) => columns.held),
    texts(appends, ({ columns }) => columns.awaited),
    texts(appends, ({ columns }) => columns.ended),
    texts(appends, ({ columns }) => columns.credentials),
    texts(appends, ({ columns }) => columns.policies),
    texts(appends, ({ columns }) => columns.accounts),
    writer,
    now,
    smallints(keys, partitionOf),
    texts(keys, ({ item }) => item.credentialId),
    texts(keys, ({ item }) => item.idempotencyKey),
    smallints(services, partitionOf),
    texts(services, ({ item: [id] }) => id),
    bigints(services, ({ item: [, version] }) => version),
    smallints(answers, partitionOf),
    texts(answers, ({ item }) => item.id),
    smallints(answers, ({ item }) => item.httpStatus),
    texts(answers, ({ item }) => item.body),
    smallints(streams, partitionOf),
    texts(streams, ({ item }) => item.id),
    byteStrings(streams, ({ item }) => item.events),
    booleans(streams, ({ item }) => item.isWhole),
    smallints(pending, partitionOf),
    texts(pending, ({ item }) => item.id),
    texts(pending, ({ item }) => item.result),
  ]
}

/** A locked partition with its log rows from the known one on. */
export type LockedPartition = {
  readonly partition: number
  readonly position: { readonly head: bigint; readonly hash: Buffer }
  /** In order. The first is the known row itself. */
  readonly tail: readonly (LogRow & {
    readonly seq: bigint
    readonly hash: Buffer
    readonly writer: string
  })[]
}

/** Maximum rows read of a tail. A partition with a longer tail is reset and its owners are loaded again. */
const TAIL_MAX = 256

/**
 * Locks partitions until the transaction ends, and reads their tails.
 *
 * @param wanted partitions with the last known row of each; null if unknown, then no tail is read
 * @returns the partitions, and the database's clock after the locks were taken
 */
export async function lockTails(
  tx: Tx,
  wanted: readonly { readonly partition: number; readonly known: bigint | null }[],
): Promise<{ now: Date; partitions: LockedPartition[] }> {
  const known = wanted.filter(({ known }) => known !== null)
  const [heads, rows] = await Promise.all([
    tx.query<{ partition: number; head: bigint; hash: Buffer; now: Date }>({
      name: 'ledger_lock_partitions',
      text: `select partition, head, hash, clock_timestamp() as now from (
               select p.partition, p.head, p.hash
               from unnest($1::smallint[]) as w (partition) join ledger_partitions p on p.partition = w.partition
               order by p.partition for update of p) locked`,
      values: [wanted.map(({ partition }) => partition)],
    }),
    tx.query<LockedPartition['tail'][number] & { partition: number }>({
      name: 'ledger_read_tails',
      text: `select l.partition, l.seq, l.hash, l.writer, l.held, l.awaited, l.ended, l.credentials, l.policies,
                    l.accounts, l.changed
             from unnest($1::smallint[], $2::bigint[]) as k (partition, known)
             cross join lateral (
               select * from ledger_log where ledger_log.partition = k.partition and ledger_log.seq >= k.known
               order by ledger_log.partition, ledger_log.seq limit ${TAIL_MAX + 1}) l
             order by l.partition, l.seq`,
      values: [smallints(known, ({ partition }) => partition), bigints(known, ({ known: seq }) => seq)],
    }),
  ])
  const tails = Map.groupBy(rows, ({ partition }) => partition)
  return {
    now: heads[0]?.now ?? new Date(0),
    partitions: heads.map(({ partition, head, hash }) => ({
      partition,
      position: { head, hash },
      tail: tails.get(partition) ?? [],
    })),
  }
}

/** A call that has not ended. */
export type OpenRow = {
  readonly id: string
  readonly owner: string
  readonly status: InvocationStatus
  readonly errorCode: string | null
  readonly credentialId: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly drawnAt: Date
  readonly hold: Usdc
}

/** Returns the open calls of owners. Requires the locks of their partitions. */
export function readOpenCalls(tx: Tx, owners: readonly string[]): Promise<OpenRow[]> {
  return tx.query<OpenRow>({
    name: 'invocations_read_open',
    text: `select i.id, i.owner, i.status, i.error_code, i.credential_id,
                  i.idempotency_key, i.request_hash, i.drawn_at,
                  i.hold
           from (
             select i.* from unnest($2::smallint[]) as w (partition)
             cross join lateral (
               select invocation_id from open_calls where open_calls.partition = w.partition offset 0) o
             cross join lateral (
               select * from invocations
               where invocations.id = o.invocation_id
                 and (invocations.partition = w.partition or invocations.partition is null) offset 0) i
             union all
             select i.* from open_calls o
             cross join lateral (select * from invocations where invocations.id = o.invocation_id offset 0) i
             where o.partition is null) i
           where i.owner = any($1::text[])`,
    values: [owners, [...new Set(owners.map(ledgerPartitionOf))]],
  })
}
