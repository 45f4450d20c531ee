import { type Usdc, usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import { type KnownInvocation, keyOf } from '../../src/domains/invocation/admission/admit.ts'
import type { Append } from '../../src/domains/invocation/log/append-statement.ts'
import type { Appended, OpenRow } from '../../src/domains/invocation/log/append-store.ts'
import type { LedgerStore, LoadedRows, LockingStore } from '../../src/domains/invocation/log/ledger-store.ts'
import { EMPTY_ACCOUNT } from '../../src/domains/ledger/lock-books.ts'
import type { Tx } from '../../src/ports.ts'
import type { Database, Session } from './database.ts'
import type { InvocationRow } from './tables.ts'
import type { Line, Machine } from './wire.ts'

/** Maximum error of a decision's time, as in the production statement. */
const AHEAD_MS_MAX = 200
const AGE_MS_MAX = 3_000
const TAIL_MAX = 256

/** Checks that a defective store omits or changes. */
export type StoreDefects = {
  readonly ignoresHash?: true
  readonly ignoresTime?: true
  /** Maximum age of a decision, in ms. */
  readonly ageMsMax?: number
}

/** Log of a simulated database, through a gateway's connection. */
export function createSimulatedStore(
  world: { database: Database; line: Line; machine: Machine; transactionOf: (session: Session) => Tx },
  defects: StoreDefects = {},
): LedgerStore {
  const { database, line } = world
  return {
    append: (appends, from) =>
      line.call('append', async () => {
        const session = database.begin()
        try {
          const appended = await append(database, session, {
            appends,
            from,
            defects,
            sees: 'committedProjected',
          })
          await database.commit(session)
          return appended
        } catch (error) {
          database.rollback(session)
          throw error
        }
      }),
    async transaction(work) {
      const session = await line.call('begin', async () => database.begin())
      world.machine.whenKilled(() => database.rollback(session))
      try {
        const result = await work(lockingStore(world, session, defects))
        await line.call('commit', () => database.commit(session))
        return result
      } catch (error) {
        await line
          .call('rollback', async () => database.rollback(session))
          .catch(() => database.rollback(session))
        throw error
      }
    },
  }
}

function lockingStore(
  { database, line, transactionOf }: Parameters<typeof createSimulatedStore>[0],
  session: Session,
  defects: StoreDefects,
): LockingStore {
  let sees: 'projected' | 'committedProjected' = 'committedProjected'
  return {
    tx: transactionOf(session),
    append: (appends, from) =>
      line.call('append in a transaction', () => append(database, session, { appends, from, defects, sees })),
    lockTails: wanted =>
      line.call('lock', async () => {
        await database.lock(
          session,
          wanted.map(({ partition }) => partition),
        )
        sees = 'projected'
        const now = new Date(database.now())
        const partitions = wanted
          .toSorted((one, other) => one.partition - other.partition)
          .map(({ partition, known }) => {
            const { head, hash, rows } = partitionOf(database, partition)
            const from = known === null ? rows.length : Math.max(0, Number(known) - 1)
            const tail = rows.slice(from, from + TAIL_MAX + 1).map(({ read }) => read)
            return { partition, position: { head: BigInt(head), hash }, tail }
          })
        return { now, partitions }
      }),
    load: wanted => line.call('load', () => load(database, session, wanted)),
    async announce(news) {
      session.writes.later(() => {
        for (const { type, data } of news) {
          const { news: answered } = database.tables
          session.writes.set(answered, answered.size + 1, {
            type,
            invocationId: (data as { invocationId?: string }).invocationId,
          })
        }
      })
    },
  }
}

function partitionOf(database: Database, number: number) {
  const partition = database.tables.partitions[number]
  if (partition === undefined) throw new RangeError(`There is no partition ${number}.`)
  return partition
}

/** The statement of append-store.ts: it sees data other than the locked rows as of its start. */
async function append(
  database: Database,
  session: Session,
  {
    appends,
    from,
    defects,
    sees,
  }: {
    appends: readonly Append[]
    from: { writer: string; now: Date }
    defects: StoreDefects
    /** A transaction that holds the locks sees its own projection. */
    sees: 'projected' | 'committedProjected'
  },
): Promise<Appended> {
  const { tables } = database
  const known = appends.flatMap(({ partition, keys }) =>
    keys.flatMap(request => {
      const key = keyOf(request)
      const row = tables.invocations.get(tables.keys.get(key) ?? '')
      return row === undefined ? [] : [{ partition, key, invocation: knownOf(row) }]
    }),
  )
  const staleOf = (services: Append['services']) =>
    services.flatMap(([id, version]): [string, bigint | null][] => {
      const live = tables.services.get(id) ?? null
      return live === version ? [] : [[id, live]]
    })
  const stale = new Map(appends.flatMap(({ services }) => staleOf(services)))
  const unfit = new Set([
    ...known.map(({ partition }) => partition),
    ...appends.flatMap(({ partition, services }) => (staleOf(services).length > 0 ? [partition] : [])),
  ])
  const projected = new Map(
    appends.map(({ partition }) => [partition, partitionOf(database, partition)[sees]]),
  )
  await database.lock(
    session,
    appends.map(({ partition }) => partition),
  )
  const now = new Date(database.now())
  const ageMs = now.getTime() - from.now.getTime()
  const isInTime =
    defects.ignoresTime === true || (ageMs >= -AHEAD_MS_MAX && ageMs <= (defects.ageMsMax ?? AGE_MS_MAX))
  const partitions = appends.map(each => {
    const { head, hash } = partitionOf(database, each.partition)
    const { position, columns } = each
    const isAtHead =
      BigInt(head) === position.head && (defects.ignoresHash === true || hash.equals(position.hash))
    const isGood = isAtHead && isInTime && !unfit.has(each.partition)
    const isWritten = isGood && Object.values(columns).some(column => column !== null)
    const row = { ...columns, partition: each.partition, seq: head + 1, writer: from.writer, changed: null }
    const next = isWritten ? database.append(session, row, { previous: hash, isProjected: false }) : null
    if (isGood) keepAnswers(database, session, each)
    return {
      partition: each.partition,
      position: { head: BigInt(head), hash },
      isGood,
      hash: next,
      projected: BigInt(projected.get(each.partition) ?? 0),
    }
  })
  return { now, partitions, known, stale }
}

function keepAnswers({ tables }: Database, { writes }: Session, { answers, pending }: Append): void {
  for (const { id, httpStatus, body } of answers) {
    writes.later(() => {
      if (tables.answers.has(id)) throw new Error(`unique index of answers: ${id} has one already`)
      writes.set(tables.answers, id, { httpStatus, body })
    })
  }
  for (const { id, result } of pending) writes.later(() => writes.set(tables.pending, id, result))
}

const knownOf = ({ id, requestHash, status, drawnAt, hold }: InvocationRow): KnownInvocation => ({
  id,
  requestHash,
  status,
  drawnAt,
  hold: usdc(hold) as Usdc,
})

async function load(
  database: Database,
  session: Session,
  { owners, credentialIds }: { owners: readonly string[]; credentialIds: readonly string[] },
): Promise<LoadedRows> {
  await database.lockAndProject(session, [...new Set(owners.map(ledgerPartitionOf))])
  const { tables } = database
  const present = <Row>(table: ReadonlyMap<string, Row>, ids: readonly string[]) =>
    new Map(
      ids.flatMap(id => {
        const row = table.get(id)
        return row === undefined ? [] : [[id, row] as const]
      }),
    )
  const calls = [...tables.open.keys()].flatMap((id): OpenRow[] => {
    const row = tables.invocations.get(id)
    if (row === undefined) throw new Error(`${id} is open and is no invocation`)
    return owners.includes(row.owner) ? [{ ...row, hold: usdc(row.hold) }] : []
  })
  return {
    credentials: present(tables.credentials, credentialIds),
    policies: present(tables.policies, owners),
    accounts: new Map(
      owners.map(owner => [owner, tables.accounts.get(`consumer:${owner}`) ?? EMPTY_ACCOUNT]),
    ),
    calls,
  }
}
