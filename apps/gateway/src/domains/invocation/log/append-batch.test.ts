import { usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  ALICE,
  accountOf,
  BOB,
  captureOf,
  credentialOf,
  hashOf,
  loadOwner,
  memoryAtStart,
  NOW,
  partitionOf,
  releaseOf,
  requestOf,
  TOKEN_DIGEST,
} from '../../../../test/kit/ledger/ledger-values.ts'
import type { Clock } from '../../../ports.ts'
import { batchOf, type Item, partsOf } from '../admission/call-batch.ts'
import { type BatchAppender, createBatchAppender } from './append-batch.ts'
import { appendOf } from './append-decision.ts'
import type { Append } from './append-statement.ts'
import type { Appended } from './append-store.ts'
import { createDatabaseTime, type DatabaseTime } from './database-time.ts'
import type { LedgerMemory } from './ledger-memory.ts'

let memory: LedgerMemory
let time: DatabaseTime
let localMs: number
let appender: BatchAppender
/** Appended rows, and the answer to the next append, unless it should succeed. */
let sent: { appends: readonly Append[]; from: { writer: string; now: Date } }[]
let answer: (appends: readonly Append[]) => Partial<Appended>
const clock: Clock = { now: () => localMs, elapsed: () => 0, pause: () => Promise.resolve() }

const succeeded = (append: Append, parts: Partial<Appended['partitions'][number]> = {}) => ({
  partition: append.partition,
  position: append.position,
  isGood: true,
  hash: hashOf(append.position.head + 1n),
  projected: 0n,
  ...parts,
})
const store = {
  async append(appends: readonly Append[], from: { writer: string; now: Date }): Promise<Appended> {
    sent.push({ appends, from })
    localMs += 10
    return {
      now: new Date(localMs),
      partitions: appends.map(each => succeeded(each)),
      known: [],
      stale: new Map(),
      ...answer(appends),
    }
  },
}
const create = (parts: { announcedMax?: number } = {}) =>
  createBatchAppender({
    memory,
    time,
    clock,
    instanceId: 'gw_1',
    feeBps: 250,
    announcedMax: parts.announcedMax,
  })

beforeEach(() => {
  memory = memoryAtStart()
  localMs = NOW.getTime()
  time = createDatabaseTime(clock)
  sent = []
  answer = () => ({})
  appender = create()
  loadOwner(memory, ALICE)
  loadOwner(memory, BOB)
})

const decide = (items: readonly Item[], live = new Map<string, bigint | null>()) =>
  appender.decide(partsOf(items, memory), live)
/** Decides and appends items, and applies what was appended. Returns the outcomes in the order of the items. */
async function commit(items: readonly Item[], live = new Map<string, bigint | null>()) {
  const { done } = await appender.append(store, decide(items, live), live)
  const outcomes = appender.keep(done)
  return items.map(item => outcomes.get(item))
}
const holdOf = (owner: string, id: string, parts: Parameters<typeof requestOf>[2] = {}): Item => ({
  hold: requestOf(owner, id, parts),
})
const balanceOf = (owner: string) => memory.owner(owner)?.account

describe('a decision', () => {
  test('is made for each partition at the database time, without changing memory', () => {
    time.learn({ sentAt: localMs, read: new Date(localMs + 500) })
    const [hold, count] = [
      holdOf(ALICE, 'inv_1'),
      { count: { credentialId: 'cred_1', owner: BOB, tokenDigest: TOKEN_DIGEST } },
    ]
    const { parts, at } = decide([hold, count])
    expect(at).toEqual(new Date(NOW.getTime() + 500))
    expect(parts.map(({ partition, items, append }) => [partition.number, items, append.keys])).toEqual([
      [ledgerPartitionOf(ALICE), [hold], [requestOf(ALICE, 'inv_1')]],
      [ledgerPartitionOf(BOB), [count], []],
    ])
    expect(parts[0]?.decision.outcomes).toMatchObject([{ kind: 'held', drawnAt: at }])
    expect(balanceOf(ALICE)).toEqual(accountOf(100n))
    expect(memory.owner(ALICE)?.calls.size).toBe(0)
  })

  test('requotes a call whose service has another version', () => {
    const live = new Map([['svc_1', 2n]])
    expect(decide([holdOf(ALICE, 'inv_1')], live).parts[0]?.decision.outcomes).toMatchObject([
      { kind: 'requote' },
    ])
  })
})

describe('an append', () => {
  test('sends the rows of all partitions in one statement, with a writer unique to the batch', async () => {
    const live = new Map()
    const decided = decide([holdOf(ALICE, 'inv_1'), holdOf(BOB, 'inv_2')])
    const from = { instanceId: 'gw_1', feeBps: 250, now: decided.at, live }
    const expected = decided.parts.map(({ partition, items, decision: { effects } }) =>
      appendOf(partition, { holds: batchOf(items).holds, effects }, from),
    )
    await appender.append(store, decided, live)
    await appender.append(store, decided, live)
    expect(sent).toEqual([
      { appends: expected, from: { writer: 'gw_1 1', now: NOW } },
      { appends: expected, from: { writer: 'gw_1 2', now: NOW } },
    ])
  })

  test('uses the position of the decision, even if the state has moved on since', async () => {
    const decided = decide([holdOf(ALICE, 'inv_1')])
    await commit([holdOf(ALICE, 'inv_2')])
    await appender.append(store, decided, new Map())
    expect(sent.map(({ appends }) => appends[0]?.position.head)).toEqual([0n, 0n])
  })

  test('returns the appended parts with their rows, or null if nothing was written', async () => {
    answer = appends => ({
      partitions: appends.map((each, index) =>
        succeeded(each, index === 0 ? { projected: 3n } : { hash: null }),
      ),
    })
    const parts = partsOf([holdOf(ALICE, 'inv_1'), holdOf(BOB, 'inv_2')], memory)
    const decided = appender.decide(parts, new Map())
    const appended = await appender.append(store, decided, new Map())
    expect(appended).toEqual({
      done: [
        {
          ...parts[0],
          decision: decided.parts[0]?.decision,
          row: { seq: 1n, hash: hashOf(1n) },
          projected: 3n,
        },
        { ...parts[1], decision: decided.parts[1]?.decision, row: null, projected: 0n },
      ],
      missed: [],
      isOvertaken: false,
    })
  })

  test('returns the parts that were not appended, and whether another writer was first', async () => {
    const parts = partsOf([holdOf(ALICE, 'inv_1'), holdOf(BOB, 'inv_2')], memory)
    const appendedWith = (first: Partial<Appended['partitions'][number]>, second = first) => {
      answer = appends => ({
        partitions: appends.map((each, index) =>
          succeeded(each, { isGood: false, hash: null, ...(index === 0 ? first : second) }),
        ),
      })
      return appender.append(store, appender.decide(parts, new Map()), new Map())
    }
    const overtaken = { position: { head: 1n, hash: hashOf(1n) } }
    expect(await appendedWith({})).toEqual({ done: [], missed: parts, isOvertaken: false })
    expect(await appendedWith(overtaken)).toEqual({ done: [], missed: parts, isOvertaken: true })
    expect(await appendedWith(overtaken, {})).toEqual({ done: [], missed: parts, isOvertaken: true })
    expect(await appendedWith({ isGood: true, hash: hashOf(1n) }, {})).toMatchObject({
      done: [{ items: parts[0]?.items }],
      missed: [parts[1]],
      isOvertaken: false,
    })
  })

  test('throws if the answer lacks a partition', async () => {
    answer = () => ({ partitions: [] })
    await expect(commit([holdOf(ALICE, 'inv_1')])).rejects.toThrow('The log lacks a partition.')
  })

  test('corrects the database time with the time of the answer', async () => {
    answer = () => ({ now: new Date(localMs + 1_000) })
    await commit([holdOf(ALICE, 'inv_1')])
    expect(time.now()).toEqual(new Date(localMs + 1_000))
    // Sent 10 ms before the answer: within that, the estimate is kept.
    answer = () => ({ now: new Date(localMs + 995) })
    await commit([holdOf(ALICE, 'inv_2')])
    expect(time.now()).toEqual(new Date(localMs + 1_000))
  })

  test('learns the current versions of services', async () => {
    answer = () => ({ stale: new Map([['svc_1', 2n]]) })
    const live = new Map<string, bigint | null>([['svc_2', null]])
    await appender.append(store, decide([holdOf(ALICE, 'inv_1')]), live)
    expect(live).toEqual(
      new Map([
        ['svc_2', null],
        ['svc_1', 2n],
      ]),
    )
  })

  test('ignores keys that were read before the state moved on', async () => {
    const decided = decide([holdOf(ALICE, 'inv_1')])
    await commit([holdOf(ALICE, 'inv_2')])
    const key = `cred_1 key of inv_2`
    const stale = { ...requestOf(ALICE, 'inv_2'), id: 'inv_2', status: 'PENDING' as const }
    await commit([{ settle: captureOf(ALICE, 'inv_2') }])
    const { position } = partitionOf(memory, ALICE)
    const ended = partitionOf(memory, ALICE).keyOf(key)
    answer = appends => ({
      known: [
        {
          partition: ledgerPartitionOf(ALICE),
          key,
          invocation: { ...stale, drawnAt: NOW, hold: usdc(10n) },
        },
      ],
      partitions: appends.map(each =>
        succeeded(each, { isGood: false, hash: null, position: position ?? each.position }),
      ),
    })
    await appender.append(store, decided, new Map())
    expect(ended).toMatchObject({ status: 'SUCCEEDED' })
    expect(partitionOf(memory, ALICE).keyOf(key)).toEqual(ended)
  })

  describe('of keys that already exist', () => {
    const invocation = {
      id: 'inv_0',
      requestHash: Buffer.from('hash'),
      status: 'SUCCEEDED',
      drawnAt: NOW,
      hold: usdc(10n),
    } as const
    const knownOf = (partition: number) => ({ partition, key: `cred_1 of ${partition}`, invocation })
    const [ofAlice, ofBob] = [ledgerPartitionOf(ALICE), ledgerPartitionOf(BOB)]
    const known = [0, ofAlice, ofBob].map(knownOf)
    const isLearned = (partition: number) =>
      memory.partition(partition).keyOf(knownOf(partition).key) !== undefined
    const missed = { isGood: false, hash: null }
    const appendBoth = () =>
      appender.append(store, decide([holdOf(ALICE, 'inv_1'), holdOf(BOB, 'inv_2')]), new Map())

    test('learns those of each partition that no other writer has appended to', async () => {
      memory.partition(ofBob).position = { head: 5n, hash: hashOf(5n) }
      answer = appends => ({ known, partitions: appends.map(each => succeeded(each, missed)) })
      await appendBoth()
      expect([0, ofAlice, ofBob].map(isLearned)).toEqual([false, true, true])
      expect(memory.partition(ofAlice).keyOf(knownOf(ofAlice).key)).toEqual({ ...invocation, seq: null })
    })

    test('ignores those read at another position', async () => {
      const overtaken = { ...missed, position: { head: 1n, hash: hashOf(1n) } }
      answer = appends => ({
        known,
        partitions: appends.map(each => succeeded(each, each.partition === ofBob ? overtaken : missed)),
      })
      await appendBoth()
      expect([0, ofAlice, ofBob].map(isLearned)).toEqual([false, true, false])
    })

    test('ignores those of a partition outside the batch', async () => {
      const position = { head: 0n, hash: hashOf(0n) }
      answer = appends => ({
        known,
        partitions: [
          ...appends.map(each => succeeded(each, missed)),
          { partition: 0, position, isGood: false, hash: null, projected: 0n },
        ],
      })
      await appendBoth()
      expect([0, ofAlice, ofBob].map(isLearned)).toEqual([false, true, true])
    })

    test('ignores those of a partition that the answer lacks', async () => {
      answer = () => ({ known, partitions: [] })
      await expect(appendBoth()).rejects.toThrow('The log lacks a partition.')
      expect([0, ofAlice, ofBob].map(isLearned)).toEqual([false, false, false])
    })
  })
})

describe('an appended batch', () => {
  test('is applied to memory and returns the outcome of each item', async () => {
    const items = [holdOf(ALICE, 'inv_1'), holdOf(BOB, 'inv_2'), { settle: captureOf(ALICE, 'inv_9') }]
    const outcomes = await commit([...items, holdOf(ALICE, 'inv_3', { quote: tooDear() })])
    expect(outcomes).toMatchObject([
      { kind: 'held', isNew: true },
      { kind: 'held', isNew: true },
      { kind: 'lost', state: null },
      { kind: 'refused', error: { code: 'BUDGET_EXHAUSTED' } },
    ])
    expect(balanceOf(ALICE)).toEqual(accountOf(100n, 10n))
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 1n, hash: hashOf(1n) })
    expect(await commit([{ settle: captureOf(ALICE, 'inv_1') }])).toEqual([{ kind: 'settled', isNew: true }])
    expect(balanceOf(ALICE)).toEqual(accountOf(92n))
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 2n, hash: hashOf(2n) })
  })

  test('that wrote no row changes neither the state nor the projected row', async () => {
    answer = appends => ({ partitions: appends.map(each => succeeded(each, { hash: null, projected: 5n })) })
    expect(await commit([{ settle: captureOf(ALICE, 'inv_9') }])).toEqual([{ kind: 'lost', state: null }])
    expect(partitionOf(memory, ALICE)).toMatchObject({ position: { head: 0n }, projected: 0n })
  })

  test('raises the projected row of the partition, and never lowers it', async () => {
    const projectedAfter = async (id: string, projected: bigint) => {
      answer = appends => ({ partitions: appends.map(each => succeeded(each, { projected })) })
      await commit([holdOf(ALICE, id)])
      return partitionOf(memory, ALICE).projected
    }
    expect(await projectedAfter('inv_1', 4n)).toBe(4n)
    expect(await projectedAfter('inv_2', 3n)).toBe(4n)
    expect(await projectedAfter('inv_3', 6n)).toBe(6n)
  })
})

describe('a one-time announcement', () => {
  const credential = credentialOf(ALICE, 'cred_1', { creditLimit: 10n })
  const refused = (owner = ALICE) => decide([holdOf(owner, 'inv_1', { quote: tooDear() })])
  const newsOf = ({ parts }: ReturnType<typeof decide>) => parts.flatMap(({ decision }) => decision.news)
  const reload = (owner: string) =>
    memory.load(partitionOf(memory, owner), owner, {
      policy: memory.owner(owner)?.policy ?? null,
      account: accountOf(100n),
      credentials: new Map([['cred_1', { ...credential, id: `cred_1`, owner }]]),
      calls: [],
    })

  test('is repeated until it is appended, and not sent again after that', async () => {
    reload(ALICE)
    expect(newsOf(refused())).toMatchObject([{ type: 'credential.exhausted' }])
    const decided = refused()
    expect(newsOf(decided)).toHaveLength(1)
    const { done } = await appender.append(store, decided, new Map())
    expect(newsOf(refused())).toHaveLength(1)
    appender.keep(done)
    expect(newsOf(refused())).toEqual([])
  })

  test('is sent again after newer announcements evict it', async () => {
    appender = create({ announcedMax: 1 })
    reload(ALICE)
    appender.keep((await appender.append(store, refused(), new Map())).done)
    expect(newsOf(refused())).toEqual([])
    memory.load(partitionOf(memory, ALICE), ALICE, {
      policy: memory.owner(ALICE)?.policy ?? null,
      account: accountOf(100n),
      credentials: new Map([['cred_2', { ...credential, id: 'cred_2' }]]),
      calls: [],
    })
    await commit([holdOf(ALICE, 'inv_2', { credentialId: 'cred_2', quote: tooDear() })])
    expect(newsOf(refused())).toHaveLength(1)
  })

  test('does not suppress announcements that are sent every time', async () => {
    const failing = async (id: string) => {
      await commit([holdOf(ALICE, id)])
      const decided = decide([{ settle: releaseOf(ALICE, id) }])
      appender.keep((await appender.append(store, decided, new Map())).done)
      return newsOf(decided)
    }
    expect(await failing('inv_1')).toMatchObject([{ type: 'invocation.failed' }])
    expect(await failing('inv_2')).toMatchObject([{ type: 'invocation.failed' }])
  })
})

const tooDear = () => ({
  serviceId: 'svc_1',
  provider: '0xbeef',
  hold: usdc(1_000n),
  metering: null,
})
