import { ledgerPartitionOf } from '@farebox/wire/partition'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  ALICE,
  accountOf,
  BOB,
  credentialOf,
  hashOf,
  loadOwner,
  NOW,
  partitionOf,
  policyOf,
  requestOf,
} from '../../../../test/kit/ledger/ledger-values.ts'
import type { Clock, Tx } from '../../../ports.ts'
import type { Part } from '../admission/call-batch.ts'
import type { LockedPartition, OpenRow } from './append-store.ts'
import { createDatabaseTime, type DatabaseTime } from './database-time.ts'
import { createLogFollower, isAt, type LogFollower } from './follow-log.ts'
import { createLedgerMemory, type LedgerMemory } from './ledger-memory.ts'
import type { LoadedRows, LockingStore } from './ledger-store.ts'

/** Number of batches that lock first after another gateway has appended. */
const LOCKED_TURNS = 20

type Row = LockedPartition['tail'][number]
type Wanted = Parameters<LockingStore['load']>[0]

/** A log in memory. */
type StoredLog = LockingStore & {
  /** Rows by partition, in order. */
  readonly rows: Map<number, Row[]>
  readonly tables: { accounts: Map<string, ReturnType<typeof accountOf>>; rest: Partial<LoadedRows> }
  /** Reads so far. */
  readonly tails: Parameters<LockingStore['lockTails']>[0][]
  readonly loads: Wanted[]
  /** Database time of the next tails. */
  now: Date
  tailMax: number
}

function createStoredLog(): StoredLog {
  const rows = new Map<number, Row[]>()
  const rowsOf = (number: number) => rows.get(number) ?? []
  const unused = () => Promise.reject(new Error('Not used.'))
  return {
    tx: {} as Tx,
    append: unused,
    announce: unused,
    rows,
    tables: { accounts: new Map(), rest: {} },
    tails: [],
    loads: [],
    now: NOW,
    tailMax: 256,
    async lockTails(wanted) {
      this.tails.push(wanted)
      const partitions = wanted.map(({ partition, known }) => ({
        partition,
        position: {
          head: rowsOf(partition).at(-1)?.seq ?? 0n,
          hash: rowsOf(partition).at(-1)?.hash ?? hashOf(0n),
        },
        tail:
          known === null
            ? []
            : rowsOf(partition)
                .filter(({ seq }) => seq >= known)
                .slice(0, this.tailMax),
      }))
      return { now: this.now, partitions }
    },
    async load(wanted) {
      this.loads.push(wanted)
      const { accounts, rest } = this.tables
      return {
        credentials: new Map(wanted.credentialIds.map(id => [id, credentialOf(ALICE, id)])),
        policies: new Map(wanted.owners.map(owner => [owner, policyOf(owner)])),
        accounts,
        calls: [],
        ...rest,
      }
    },
  }
}

const NO_EVENTS = {
  held: null,
  awaited: null,
  ended: null,
  credentials: null,
  policies: null,
  accounts: null,
  changed: null,
}

let log: StoredLog
let memory: LedgerMemory
let time: DatabaseTime
let follower: LogFollower
let localMs: number
beforeEach(() => {
  log = createStoredLog()
  log.tables.accounts.set(ALICE, accountOf(100n)).set(BOB, accountOf(100n))
  memory = createLedgerMemory(16)
  localMs = NOW.getTime()
  const clock: Clock = { now: () => localMs, elapsed: () => 0, pause: () => Promise.resolve() }
  time = createDatabaseTime(clock)
  follower = createLogFollower(memory, { instanceId: 'gw_1', clock, time })
})

/** Appends a row to the partition of an owner that sets its balance. */
function append(owner: string, posted: bigint, { writer = 'gw_1 1', history = 0 } = {}): void {
  const rows = log.rows.get(ledgerPartitionOf(owner)) ?? []
  const seq = (rows.at(-1)?.seq ?? 0n) + 1n
  const accounts = [{ owner, posted: String(posted), reserved: '0', promotional: '0' }]
  rows.push({ ...NO_EVENTS, accounts, seq, hash: hashOf(seq, history), writer })
  log.rows.set(ledgerPartitionOf(owner), rows)
}
/** Returns the part of a batch with one hold for each credential of an owner. */
const partOf = (owner: string, ...credentialIds: string[]): Part => ({
  partition: partitionOf(memory, owner),
  items: (credentialIds.length === 0 ? ['cred_1'] : credentialIds).map(credentialId => ({
    hold: requestOf(owner, 'inv_1', { credentialId }),
  })),
})
const follow = (...parts: Part[]) => follower.follow(log, parts)
const postedOf = (owner: string) => memory.owner(owner)?.account.posted
const projectAll = (owner: string) => {
  const partition = partitionOf(memory, owner)
  partition.projected = partition.position?.head ?? 0n
}

describe('an unknown partition', () => {
  test('is set to its head and loads its owner', async () => {
    append(ALICE, 90n)
    expect(follower.isInStep([partOf(ALICE)])).toBe(false)
    await follow(partOf(ALICE))
    expect(log.tails).toEqual([[{ partition: ledgerPartitionOf(ALICE), known: null }]])
    expect(log.loads).toEqual([{ owners: [ALICE], credentialIds: ['cred_1'] }])
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 1n, hash: hashOf(1n) })
    expect(memory.owner(ALICE)).toMatchObject({
      account: accountOf(100n),
      policy: policyOf(ALICE),
      readAt: 1n,
      calls: new Map(),
    })
  })

  test('is not in step even if its owner is in memory', () => {
    loadOwner(memory, ALICE)
    expect(follower.isInStep([partOf(ALICE)])).toBe(false)
  })

  test('is not in step until the tables that its owner was read from are durable', async () => {
    append(ALICE, 90n)
    await follow(partOf(ALICE))
    expect(follower.isInStep([partOf(ALICE)])).toBe(false)
    // The transaction may have been rolled back, so the owner is loaded again.
    await follow(partOf(ALICE))
    expect(log.loads).toHaveLength(2)
    projectAll(ALICE)
    expect(follower.isInStep([partOf(ALICE)])).toBe(true)
    await follow(partOf(ALICE))
    expect(log.loads).toHaveLength(2)
  })
})

describe('a batch is in step', () => {
  test('if the owners and credentials of all its items are in memory', async () => {
    await follow(partOf(ALICE))
    expect(follower.isInStep([partOf(ALICE)])).toBe(true)
    expect(follower.isInStep([partOf(ALICE, 'cred_1', 'cred_2')])).toBe(false)
    expect(follower.isInStep([partOf(ALICE), partOf(BOB)])).toBe(false)
    await follow(partOf(BOB))
    expect(follower.isInStep([partOf(ALICE), partOf(BOB)])).toBe(true)
  })

  test('if no other gateway has appended for LOCKED_TURNS batches', async () => {
    await follow(partOf(ALICE))
    append(ALICE, 90n, { writer: 'gw_2 1' })
    await follow(partOf(ALICE))
    for (let turn = 0; turn < LOCKED_TURNS; turn += 1) {
      expect(follower.isInStep([partOf(ALICE)])).toBe(false)
      await follow(partOf(ALICE))
    }
    expect(follower.isInStep([partOf(ALICE)])).toBe(true)
    await follow(partOf(ALICE))
    expect(follower.isInStep([partOf(ALICE)])).toBe(true)
  })

  test.each([
    ['gw_1 7', true],
    ['transaction 7', true],
    ['gw_10 7', false],
    ['gw_2 gw_1 7', false],
    ['gw_2 transaction 7', false],
  ])('after a row by %s: %s', async (writer, isInStep) => {
    await follow(partOf(ALICE))
    append(ALICE, 90n)
    append(ALICE, 80n, { writer })
    append(ALICE, 70n)
    await follow(partOf(ALICE))
    expect(postedOf(ALICE)).toBe(70n)
    expect(follower.isInStep([partOf(ALICE)])).toBe(isInStep)
  })
})

describe('the tail of a partition', () => {
  test('is applied in order after the known row, without loading owners again', async () => {
    append(ALICE, 90n)
    await follow(partOf(ALICE))
    projectAll(ALICE)
    append(ALICE, 80n)
    append(ALICE, 70n)
    await follow(partOf(ALICE))
    expect(log.tails[1]).toEqual([{ partition: ledgerPartitionOf(ALICE), known: 1n }])
    expect(postedOf(ALICE)).toBe(70n)
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 3n, hash: hashOf(3n) })
    expect(log.loads).toHaveLength(1)
  })

  test('is applied from the first row if the log was empty', async () => {
    await follow(partOf(ALICE))
    append(ALICE, 80n)
    await follow(partOf(ALICE))
    expect(postedOf(ALICE)).toBe(80n)
    expect(log.loads).toHaveLength(1)
  })

  test('that lacks the known row has another history, and owners are reloaded', async () => {
    append(ALICE, 90n)
    append(ALICE, 80n)
    await follow(partOf(ALICE))
    projectAll(ALICE)
    log.rows.clear()
    append(ALICE, 50n)
    append(ALICE, 40n, { history: 1 })
    append(ALICE, 30n, { history: 1 })
    log.tables.accounts.set(ALICE, accountOf(30n))
    await follow(partOf(ALICE))
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 3n, hash: hashOf(3n, 1) })
    expect([postedOf(ALICE), log.loads.length]).toEqual([30n, 2])
    expect(partitionOf(memory, ALICE).projected).toBe(0n)
    // Rows of another history say nothing of who else appends now.
    projectAll(ALICE)
    expect(follower.isInStep([partOf(ALICE)])).toBe(true)
  })

  test('that ends before the known row has another history, and owners are reloaded', async () => {
    append(ALICE, 90n)
    append(ALICE, 80n)
    await follow(partOf(ALICE))
    projectAll(ALICE)
    log.rows.get(ledgerPartitionOf(ALICE))?.pop()
    await follow(partOf(ALICE))
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 1n, hash: hashOf(1n) })
    expect(log.loads).toHaveLength(2)
  })

  test('that does not reach the head is incomplete, and owners are reloaded', async () => {
    append(ALICE, 90n)
    await follow(partOf(ALICE))
    projectAll(ALICE)
    for (const posted of [80n, 70n, 60n]) append(ALICE, posted)
    log.tables.accounts.set(ALICE, accountOf(60n))
    log.tailMax = 2
    await follow(partOf(ALICE))
    expect(partitionOf(memory, ALICE).position).toEqual({ head: 4n, hash: hashOf(4n) })
    expect([postedOf(ALICE), log.loads.length]).toEqual([60n, 2])
  })
})

describe('missing owners', () => {
  test('are loaded in one statement, each credential once', async () => {
    await follow(partOf(ALICE, 'cred_1', 'cred_2', 'cred_1'), partOf(BOB, 'cred_2'))
    expect(log.loads).toEqual([{ owners: [ALICE, BOB], credentialIds: ['cred_1', 'cred_2'] }])
    expect([...(memory.owner(ALICE)?.credentials.keys() ?? [])]).toEqual(['cred_1', 'cred_2'])
    expect(memory.owner(BOB)?.partition.number).toBe(ledgerPartitionOf(BOB))
  })

  test('are loaded without the credentials that are in memory', async () => {
    await follow(partOf(ALICE))
    await follow(partOf(ALICE, 'cred_1', 'cred_2'), partOf(BOB))
    expect(log.loads[1]).toEqual({ owners: [ALICE, BOB], credentialIds: ['cred_2', 'cred_1'] })
    await follow(partOf(ALICE, 'cred_1', 'cred_2'), partOf(BOB))
    expect(log.loads).toHaveLength(2)
  })

  test('get null for a credential that belongs to another owner or does not exist', async () => {
    log.tables.rest = {
      credentials: new Map([
        ['cred_1', credentialOf(ALICE, 'cred_1')],
        ['cred_2', credentialOf(BOB, 'cred_2')],
      ]),
    }
    await follow(partOf(ALICE, 'cred_1', 'cred_2', 'cred_3'))
    expect(memory.owner(ALICE)?.credentials).toEqual(
      new Map([
        ['cred_1', credentialOf(ALICE, 'cred_1')],
        ['cred_2', null],
        ['cred_3', null],
      ]),
    )
  })

  test('get only their own open calls, and a null policy if none exists', async () => {
    const row = (id: string, owner: string): OpenRow => ({
      id,
      owner,
      status: 'PENDING',
      errorCode: null,
      credentialId: 'cred_1',
      idempotencyKey: `key of ${id}`,
      requestHash: Buffer.from(id),
      drawnAt: NOW,
      hold: accountOf(10n).posted,
    })
    log.tables.rest = {
      calls: [row('inv_1', ALICE), row('inv_2', BOB), row('inv_3', ALICE)],
      policies: new Map(),
    }
    await follow(partOf(ALICE), partOf(BOB))
    expect([...(memory.owner(ALICE)?.calls.keys() ?? [])]).toEqual(['inv_1', 'inv_3'])
    expect([...(memory.owner(BOB)?.calls.keys() ?? [])]).toEqual(['inv_2'])
    expect(memory.owner(ALICE)?.policy).toBeNull()
  })

  test('must have accounts', async () => {
    log.tables.accounts.delete(ALICE)
    await expect(follow(partOf(ALICE))).rejects.toThrow('The accounts lack a wallet.')
    expect(memory.owner(ALICE)).toBeUndefined()
  })
})

test('corrects the estimate of the database time with the lock time', async () => {
  const lockTails = log.lockTails.bind(log)
  log.lockTails = wanted => {
    localMs += 40
    return lockTails(wanted)
  }
  log.now = new Date(NOW.getTime() + 1_000)
  await follow(partOf(ALICE))
  expect(time.now()).toEqual(log.now)
  // Within the 40 ms of the statement, the estimate is kept.
  log.now = new Date(localMs + 960 + 30)
  await follow(partOf(ALICE))
  expect(time.now()).toEqual(new Date(localMs + 960))
})

test('compares both the number and the hash of a position', () => {
  const position = { head: 3n, hash: hashOf(3n) }
  expect(isAt({ position }, { head: 3n, hash: hashOf(3n) })).toBe(true)
  expect(isAt({ position }, { head: 4n, hash: hashOf(3n) })).toBe(false)
  expect(isAt({ position }, { head: 3n, hash: hashOf(3n, 1) })).toBe(false)
  expect(isAt({ position: null }, { head: 3n, hash: hashOf(3n) })).toBe(false)
})

test('rejects rows read under lost locks once the state has moved on', async () => {
  append(ALICE, 90n)
  await follow(partOf(ALICE))
  projectAll(ALICE)
  const { load } = log
  log.load = async wanted => {
    const rows = await load.call(log, wanted)
    // The server went over to another before the answer came, and another transaction has followed the log since.
    log.load = load
    append(ALICE, 80n)
    await follow(partOf(ALICE))
    return rows
  }
  await expect(follow(partOf(ALICE, 'cred_2'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(memory.owner(ALICE)?.credentials.has('cred_2')).toBe(false)
  expect(postedOf(ALICE)).toBe(80n)
})
