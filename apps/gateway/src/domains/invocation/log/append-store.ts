import type { Usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { Queryable, Tx } from '../../../ports.ts'
import { bigints, smallints } from '../../../sql/pg-arrays.ts'
import { type KnownInvocation, keyOf } from '../admission/admit.ts'
import type { InvocationStatus } from '../rules.ts'
import { type Append, appendStatement } from './append-statement.ts'
import type { LogRow } from './ledger-events.ts'

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
  const rows = await db.query<AppendedRow>(appendStatement(appends, from))
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
