import { usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Append } from '../../src/domains/invocation/log/append-statement.ts'
import { append } from '../../src/domains/invocation/log/append-store.ts'
import { createLedgerStore } from '../../src/domains/invocation/log/ledger-store.ts'
import { readRecording } from '../../src/domains/invocation/pricing/metered-store.ts'
import { readArchivedAnswer } from '../../src/domains/invocation/records/archived-answer.ts'
import { lockPartitions } from '../../src/domains/ledger/lock-partitions.ts'
import { catchUp } from '../../src/domains/ledger/read-current.ts'
import type { Db, Queryable, Statement } from '../../src/ports.ts'
import { divideTables, partsTouched, type Touched } from '../kit/database/partitioned.ts'
import {
  type Ending,
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
  waitingOf,
} from '../kit/ledger/ledger-fixture.ts'
import { METERING } from '../kit/ledger/ledger-values.ts'

/** Tables that say how far the log and its projection are; who projects everything asks each partition. */
const HEADS = ['ledger_partitions', 'ledger_projections']

const USED: Ending['metered'] = {
  usage: { inputTokens: 4, outputTokens: 1, totalTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
  isCapped: false,
  cost: usdc(5n),
  reportedBy: null,
}

let on: LedgerFixture
let alice: Payer
/** In another partition than alice. */
let bob: Payer
/** Partitions of alice and bob. */
let both: number[]
beforeAll(async () => {
  on = await startLedgerFixture()
  await divideTables({ query: on.run })
  alice = await on.payer(1_000_000n)
  do bob = await on.payer(1_000_000n)
  while (ledgerPartitionOf(bob.wallet) === ledgerPartitionOf(alice.wallet))
  both = [alice, bob].map(({ wallet }) => ledgerPartitionOf(wallet)).sort((one, other) => one - other)
})
afterAll(() => on.stop())

/** A database that notes which parts each of its transactions has read or written. */
function watched(db: Db): Db & { readonly notes: Touched[][] } {
  const notes: Touched[][] = []
  const transaction: Db['transaction'] = work =>
    db.transaction(async tx => {
      const results: Awaited<ReturnType<typeof work>>[] = []
      notes.push(await partsTouched(tx, async () => results.push(await work(tx))))
      return results[0] as Awaited<ReturnType<typeof work>>
    })
  return { notes, transaction, query: statement => transaction(tx => tx.query(statement)) }
}
/** The partitions of the parts of a table that were touched. */
const partitionsOf = (touched: readonly Touched[], table?: string): number[] =>
  [
    ...new Set(
      touched.flatMap(part => (table === undefined || part.table === table ? [part.partition] : [])),
    ),
  ].sort((one, other) => one - other)

/** A gateway all of whose transactions are watched. */
function watchedGateway() {
  const batchDb = watched(on.batchDb)
  const store = createLedgerStore({ batchDb, ids: on.ids }, { monthlyDefault: usdc(1_000_000_000n) })
  return { notes: batchDb.notes, calls: on.gateway({ store }) }
}

/** A request with a key of its caller's own. */
const asked: LedgerFixture['requestOf'] = (payer, amount, more) =>
  on.requestOf(payer, amount, { idempotencyKey: on.ids.next('key'), ...more })

/** A row for each payer behind what is the head now, with a key that must be new and all that may be kept with it. */
async function rowsOf(payers: readonly Payer[], id: string): Promise<Append[]> {
  return Promise.all(
    payers.map(async payer => {
      const partition = ledgerPartitionOf(payer.wallet)
      const [position] = await on.run<Append['position']>(sql`
        select head, hash from ledger_partitions where partition = ${partition}`)
      if (position === undefined) throw new Error('There is no such partition.')
      const account = { owner: payer.wallet, posted: '1000000', reserved: '0', promotional: '0' }
      return {
        partition,
        position,
        columns: {
          held: null,
          awaited: null,
          ended: null,
          credentials: null,
          policies: null,
          accounts: JSON.stringify([account]),
        },
        keys: [asked(payer, 1n)],
        services: [[on.serviceId, 1n]],
        answers: [{ id: `${id}_${partition}`, httpStatus: 200, body: '{}' }],
        streams: [{ id: `${id}_${partition}`, events: Buffer.from('x'), isWhole: true }],
        pending: [{ id: `${id}_${partition}`, result: '{}' }],
      }
    }),
  )
}

type PlanNode = {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}
/** Performs statements and returns their plans instead of their rows. */
function explaining(db: Queryable): Queryable & { readonly plans: PlanNode[] } {
  const plans: PlanNode[] = []
  return {
    plans,
    async query<Row>({ text, values }: Statement) {
      const rows = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({
        text: `explain (analyze, format json) ${text}`,
        values,
      })
      for (const {
        'QUERY PLAN': [{ Plan }],
      } of rows)
        plans.push(Plan)
      return [] as Row[]
    },
  }
}
/** Tables that a plan has scanned or written to at least once. */
function scannedBy(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scannedBy)
  const own = node['Relation Name']
  return own !== undefined && node['Actual Loops'] > 0 ? [own, ...below] : below
}

describe('with its tables partitioned,', () => {
  test('an append scans only its own partitions, as its plan shows', async () => {
    const db = explaining(on.batchDb)
    await append(db, await rowsOf([alice, bob], 'planned'), { writer: 'gw_1 1', now: new Date() })
    const scanned = new Set(db.plans.flatMap(scannedBy))
    for (const table of ['ledger_partitions', 'ledger_projections', 'invocations'])
      expect([...scanned].filter(name => name.startsWith(`${table}_`)).sort()).toEqual(
        both.map(partition => `${table}_${partition}`).sort(),
      )
  })

  test('an append of two partitions reads and writes only these two, of every table involved', async () => {
    const db = watched(on.batchDb)
    const { partitions } = await append(db, await rowsOf([alice, bob], 'counted'), {
      writer: 'gw_1 2',
      now: new Date(),
    })
    expect(partitions.map(({ isGood }) => isGood)).toEqual([true, true])
    const [touched = []] = db.notes
    const tables = [
      'ledger_partitions',
      'ledger_projections',
      'ledger_log',
      'invocations',
      'invocation_answers',
      'invocation_streams',
      'pending_results',
    ]
    for (const table of tables)
      expect({ table, in: partitionsOf(touched, table) }).toEqual({ table, in: both })
    expect(partitionsOf(touched)).toEqual(both)
  })

  test('a new owner is locked and read within its partition', async () => {
    const { notes, calls } = watchedGateway()
    const { request, drawnAt } = await hold(calls, asked(alice, 10n))
    expect(partitionsOf(notes.flat())).toEqual([ledgerPartitionOf(alice.wallet)])
    expect(partitionsOf(notes.flat(), 'open_calls')).toEqual([ledgerPartitionOf(alice.wallet)])
    await calls.settle(endingOf(request, drawnAt, 5n))
  })

  test('calls are held, wait for their usage, end and are replayed within the partition of their owner', async () => {
    const { notes, calls } = watchedGateway()
    const ids: string[] = []
    for (const payer of [alice, bob, alice, bob]) {
      const paid = await pay(calls, asked(payer, 10n), usdc(8n))
      ids.push(paid.invocationId)
      const waiting = await hold(calls, asked(payer, 10n))
      await calls.settle(waitingOf(waiting.request, waiting.drawnAt))
      expect(notes.length).toBeGreaterThan(0)
      for (const note of notes) expect(partitionsOf(note)).toEqual([ledgerPartitionOf(payer.wallet)])
      notes.length = 0
    }
    const db = watched(on.db)
    await readArchivedAnswer(db, { invocationId: ids[0] ?? '', owner: alice.wallet })
    await readRecording(db, { invocationId: ids[0] ?? '', owner: alice.wallet })
    expect(db.notes.map(note => partitionsOf(note))).toEqual([
      [ledgerPartitionOf(alice.wallet)],
      [ledgerPartitionOf(alice.wallet)],
    ])
  })

  test('a batch that lost a race to another gateway reads only the tail of its partition', async () => {
    const { notes, calls } = watchedGateway()
    await pay(calls, asked(alice, 10n), usdc(8n))
    await pay(on.gateway(), asked(alice, 10n), usdc(8n))
    notes.length = 0
    await pay(calls, asked(alice, 10n), usdc(8n))
    expect(notes.length).toBeGreaterThan(1)
    for (const note of notes) expect(partitionsOf(note)).toEqual([ledgerPartitionOf(alice.wallet)])
  })

  test('a deposit locks and projects only the partition of its owner', async () => {
    await pay(on.gateway(), asked(bob, 10n), usdc(8n))
    const db = watched(on.batchDb)
    await db.transaction(tx => lockPartitions(tx, [bob.wallet]))
    expect(partitionsOf(db.notes.flat())).toEqual([ledgerPartitionOf(bob.wallet)])
    expect(partitionsOf(db.notes.flat(), 'invocations')).toEqual([ledgerPartitionOf(bob.wallet)])
  })

  test.each(['batchDb', 'db'] as const)(
    'a full projection, by %s, reads the head of each partition and touches those that have grown',
    async connection => {
      const calls = on.gateway()
      const db = watched(on[connection])
      const [call, other] = [
        await hold(calls, asked(alice, 10n, { metering: METERING })),
        await hold(calls, asked(bob, 10n, { metering: METERING })),
      ]
      await catchUp(db)
      for (const { request, drawnAt } of [call, other]) await calls.settle(waitingOf(request, drawnAt, '{}'))
      await catchUp(db)
      for (const { request, drawnAt } of [call, other])
        await calls.settle({ ...endingOf(request, drawnAt, 5n), from: 'PROCESSING', metered: USED })
      await catchUp(db)
      const touched = db.notes.flat()
      expect(partitionsOf(touched.filter(({ table }) => !HEADS.includes(table)))).toEqual(both)
      for (const table of ['ledger_log', 'invocations', 'metered_calls', 'open_calls', 'pending_results'])
        expect({ table, in: partitionsOf(touched, table) }).toEqual({ table, in: both })
    },
  )

  test('every row of a call is in the partition of its owner', async () => {
    await catchUp(on.db)
    const rows = await on.run<{ owner: string; partition: number; answer: number | null }>(sql`
      select i.owner, i.partition, a.partition as answer
      from invocations i left join invocation_answers a on a.invocation_id = i.id`)
    expect(rows.length).toBeGreaterThan(8)
    for (const { owner, partition, answer } of rows) {
      expect(partition).toBe(ledgerPartitionOf(owner))
      expect([null, partition]).toContain(answer)
    }
  })
})
