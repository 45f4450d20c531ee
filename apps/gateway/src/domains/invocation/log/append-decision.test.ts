import { usdc } from '@farebox/money'
import { beforeEach, expect, test } from 'vitest'
import {
  ALICE,
  awaitOf,
  captureOf,
  hashOf,
  loadOwner,
  memoryAtStart,
  NOW,
  requestOf,
} from '../../../../test/kit/ledger/ledger-values.ts'
import { appendOf } from './append-decision.ts'
import { columnsOf, type Effects } from './ledger-events.ts'
import type { LedgerMemory, Partition } from './ledger-memory.ts'

const NONE: Effects = {
  held: [],
  awaited: [],
  ended: [],
  budgets: { credentials: new Map(), policies: new Map() },
  accounts: new Map(),
}
const FROM = { instanceId: 'gw_1', feeBps: 250, now: NOW, live: new Map<string, bigint | null>() }
const endedOf = (id: string, parts: Parameters<typeof captureOf>[2] = {}) => ({
  ...captureOf(ALICE, id, parts),
  finishedAt: NOW,
  promotional: usdc(0n),
})

let memory: LedgerMemory
let partition: Partition
beforeEach(() => {
  memory = memoryAtStart()
  partition = loadOwner(memory, ALICE)
  partition.position = { head: 7n, hash: hashOf(7n) }
})

test('appends a row at the position of the decision, with the events of its effects', () => {
  const effects: Effects = { ...NONE, ended: [endedOf('inv_1')] }
  expect(appendOf(partition, { holds: [], effects }, FROM)).toEqual({
    partition: partition.number,
    position: { head: 7n, hash: hashOf(7n) },
    columns: columnsOf(effects, FROM),
    keys: [],
    services: [],
    answers: [{ id: 'inv_1', httpStatus: 200, body: 'answer of inv_1' }],
    streams: [],
    pending: [],
  })
})

test('throws for a partition without a position', () => {
  partition.position = null
  expect(() => appendOf(partition, { holds: [], effects: NONE }, FROM)).toThrow(
    'The state of a decided partition is unknown.',
  )
})

test('requires the keys of holds to be new, except known and generated keys', () => {
  memory.learnKey(partition, 'cred_1 key of inv_known', {
    id: 'inv_earlier',
    requestHash: Buffer.from('hash'),
    status: 'SUCCEEDED',
    drawnAt: NOW,
    hold: usdc(10n),
  })
  const [first, second] = [requestOf(ALICE, 'inv_1'), requestOf(ALICE, 'inv_2')]
  const holds = [
    first,
    requestOf(ALICE, 'inv_known'),
    requestOf(ALICE, 'inv_own', { idempotencyKey: 'inv_own' }),
    requestOf(ALICE, 'inv_counted', { idempotencyKey: `retry0${'a'.repeat(64)}inv_counted` }),
    second,
  ]
  expect(appendOf(partition, { holds, effects: NONE }, FROM).keys).toEqual([first, second])
})

test('requires each quoted version of a service to be current, without duplicates', () => {
  const of = (id: string, version: bigint) =>
    requestOf(ALICE, `inv_of_${id}`, { service: { id, version, names: [id] } })
  const holds = [
    of('svc_1', 1n),
    of('svc_1', 1n),
    of('svc_1', 2n),
    of('svc_2', 1n),
    requestOf(ALICE, 'inv_none', { service: null }),
  ]
  const services = (live: ReadonlyMap<string, bigint | null>) =>
    appendOf(partition, { holds, effects: NONE }, { ...FROM, live }).services
  expect(services(new Map())).toEqual([
    ['svc_1', 1n],
    ['svc_1', 2n],
    ['svc_2', 1n],
  ])
  // A version that is known to be stale was not decided on: its holds were quoted again.
  expect(
    services(
      new Map([
        ['svc_1', 2n],
        ['svc_2', null],
      ]),
    ),
  ).toEqual([['svc_1', 2n]])
})

test('stores answers, streams and pending results of calls with the row', () => {
  const recording = { events: Buffer.from('events'), isWhole: false }
  const effects: Effects = {
    ...NONE,
    awaited: [
      awaitOf(ALICE, 'inv_1', { pendingResult: '{}', recording }),
      awaitOf(ALICE, 'inv_2', { pendingResult: null }),
    ],
    ended: [endedOf('inv_3'), endedOf('inv_4', { recording: { ...recording, isWhole: true } })],
  }
  expect(appendOf(partition, { holds: [], effects }, FROM)).toMatchObject({
    answers: [
      { id: 'inv_3', httpStatus: 200, body: 'answer of inv_3' },
      { id: 'inv_4', httpStatus: 200, body: 'answer of inv_4' },
    ],
    streams: [
      { id: 'inv_1', events: Buffer.from('events'), isWhole: false },
      { id: 'inv_4', events: Buffer.from('events'), isWhole: true },
    ],
    pending: [{ id: 'inv_1', result: '{}' }],
  })
})
