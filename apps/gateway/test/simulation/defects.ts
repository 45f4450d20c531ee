import { isUnavailable } from '@farebox/wire/errors'
import { PARTITIONS } from '@farebox/wire/partition'
import { rollCredential } from '../../src/domains/credentials/budget-rules.ts'
import type { CallState } from '../../src/domains/invocation/admission/call-batch.ts'
import type { Appended } from '../../src/domains/invocation/log/append-store.ts'
import type { LedgerMemory, OwnerState, Partition } from '../../src/domains/invocation/log/ledger-memory.ts'
import type { LedgerStore } from '../../src/domains/invocation/log/ledger-store.ts'
import type { Database } from './database.ts'
import type { Defects } from './gateway.ts'
import type { Trouble } from './history.ts'

/** All open: every end is taken for pending. */
class AlwaysPending extends Map<string, CallState & { readonly key: string }> {
  override get(id: string) {
    return super.get(id) ?? { status: 'PENDING' as const, errorCode: null, key: id }
  }
}

const withOwners = (memory: LedgerMemory, change: (state: OwnerState) => OwnerState): LedgerMemory => ({
  ...memory,
  owner(wallet) {
    const state = memory.owner(wallet)
    return state === undefined ? undefined : change(state)
  },
})

const PARTITION_NUMBERS = Array.from({ length: PARTITIONS }, (_, number) => number)
const withoutKeys = (partition: Partition): Partition =>
  new Proxy(partition, {
    get: (target, name) => (name === 'keyOf' ? () => undefined : Reflect.get(target, name, target)),
  })

/** Appends again after the newest row if the answer of an append is lost. */
const appendsAgain = (store: LedgerStore): LedgerStore => ({
  ...store,
  async append(appends, from) {
    try {
      return await store.append(appends, from)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const { partitions } = await store.transaction(within =>
        within.lockTails(appends.map(({ partition }) => ({ partition, known: null }))),
      )
      const heads = new Map(partitions.map(({ partition, position }) => [partition, position]))
      return store.append(
        appends.map(each => ({ ...each, position: heads.get(each.partition) ?? each.position })),
        from,
      )
    }
  },
})

/** Caches known keys from the tables, whatever the position of the log when they were read. */
const learnsAnyKey = (store: LedgerStore, memory: LedgerMemory): LedgerStore => {
  const learn = (appended: Appended): Appended => {
    for (const { partition, key, invocation } of appended.known)
      memory.learnKey(memory.partition(partition), key, invocation)
    return appended
  }
  return {
    append: async (appends, from) => learn(await store.append(appends, from)),
    transaction: work =>
      store.transaction(within =>
        work({ ...within, append: async (appends, from) => learn(await within.append(appends, from)) }),
      ),
  }
}

/** Treats decisions that were too old as errors, without a retry. */
const givesUpLate = (store: LedgerStore): LedgerStore => ({
  ...store,
  async transaction(work) {
    let isLate = false
    try {
      return await store.transaction(within =>
        work({
          ...within,
          async append(appends, from) {
            const appended = await within.append(appends, from)
            isLate = appended.partitions.some(({ isGood }) => !isGood)
            return appended
          },
        }),
      )
    } catch (error) {
      throw isLate && isUnavailable(error) ? new Error('No decision was appended in time.') : error
    }
  },
})

/** Draws in the current interval of a credential although the day or month of its owner's policy is a later one. */
const drawsInEarlierIntervals = (memory: LedgerMemory, database: Database): LedgerMemory =>
  withOwners(memory, state => {
    const now = new Date(database.now())
    const { policy } = state
    if (policy === null || (policy.dayStart <= now && policy.monthStart <= now)) return state
    const credentials = [...state.credentials].map(([id, credential]) => {
      if (credential === null) return [id, null] as const
      return [id, { ...rollCredential(credential, now), resetInterval: 'never' as const }] as const
    })
    return { ...state, credentials: new Map(credentials) }
  })

/** A defect, and the check that should find it. */
export type DefectCase = {
  readonly title: string
  readonly defects: Defects
  readonly symptom: RegExp
  /** Parameters of the histories; absent: chosen by their seeds. */
  readonly trouble?: Partial<Trouble>
  /** First seed of the search, shortly before one that breaks; default 1. */
  readonly from?: number
}

/** Unreliable connections to the database. */
const LOSSES = { isOn: true, wayMs: 10, lostBefore: 0.02, lostAfter: 0.02, slow: 0.02, kill: 0.002 }

const BROKEN_MEMORIES: readonly DefectCase[] = [
  {
    title: 'a settlement that does not look at the state of its call in the log',
    defects: {
      memory: memory =>
        withOwners(memory, state => ({
          ...state,
          calls: new AlwaysPending(state.calls) as OwnerState['calls'],
        })),
    },
    symptom: /ends, and is|releases more than|could not be released|usage, and is|come to rest/,
  },
  {
    title: 'a key that is forgotten before it is projected',
    defects: {
      memory: memory => {
        const forgetful = PARTITION_NUMBERS.map(number => withoutKeys(memory.partition(number)))
        const at = ({ number }: Partition) => forgetful[number] as Partition
        return {
          ...memory,
          partition: number => at(memory.partition(number)),
          partitionOf: wallet => at(memory.partitionOf(wallet)),
        }
      },
    },
    symptom: /unique index|is held twice/,
  },
  {
    title: 'the state of an owner that was read in a transaction which was rolled back',
    from: 630,
    defects: { memory: memory => withOwners(memory, state => ({ ...state, readAt: 0n })) },
    symptom: /is in progress, for ever|unique index/,
    trouble: { faults: { ...LOSSES, lostBefore: 0.06, lostAfter: 0.06 }, calls: 14 },
  },
]

/** Defects that the gateway once had, found or missed by the simulation. */
const EARLIER: readonly DefectCase[] = [
  {
    title: 'a known key that is remembered as it stood at another position of the log',
    defects: { wrapStore: learnsAnyKey },
    symptom: /is in progress, for ever/,
    trouble: { calls: 14, writes: 25, restarts: 0, failOvers: 0, stalls: 0 },
  },
  {
    title: 'a draw in an interval that ended before the clock was set back',
    from: 225,
    defects: { memory: drawsInEarlierIntervals },
    symptom: /left \S+ with|leaves \S+ with .*-\d|has counted \d+ calls/,
    trouble: { jumps: 4, calls: 14 },
  },
  {
    title: 'a settlement that is given up when requests to the database take longer than 200 ms',
    from: 835,
    defects: { store: { ageMsMax: 200 }, wrapStore: givesUpLate },
    symptom: /its gateway was alive all the time|met an error of the program: .*in time/,
    trouble: { faults: { ...LOSSES, lostBefore: 0, lostAfter: 0, kill: 0, slow: 0.9 } },
  },
]

const BROKEN_STORES: readonly DefectCase[] = [
  {
    title: 'a position that is compared without its hash after a standby took over',
    defects: { store: { ignoresHash: true } },
    symptom: /row \d+ of partition|for ever|was told/,
    trouble: { replicationMs: 100, restarts: 1, failOvers: 2, jobsReadCurrent: true },
  },
  {
    title: 'a decision whose time is not compared',
    defects: { store: { ignoresTime: true } },
    symptom: /was decided/,
  },
  {
    title: 'an append that is done again, unread, when its answer is lost',
    defects: { wrapStore: appendsAgain },
    symptom: /row \d+ of partition|unique index|not what the log says/,
  },
]

const BROKEN_WORK: readonly DefectCase[] = [
  {
    title: 'a gateway that is taken for dead by the end of its lease alone',
    defects: {
      peers: (watch, { database }) => ({
        ...watch,
        silent: () => [...database.tables.leases].map(([id, until]) => ({ id, lease: String(until) })),
      }),
    },
    symptom: /its gateway was alive all the time/,
    trouble: { jumps: 2, calls: 12 },
  },
  {
    title: 'a window of usage that is judged by the clock of a gateway',
    defects: { windowClockOffMs: 3_600_000 },
    symptom: /its usage might have been reported/,
  },
  {
    title: 'a row that is projected twice',
    defects: { projected: due => [...due, ...due.slice(-1)] },
    symptom: /unique index|and is/,
  },
  {
    title: 'a row that is not projected',
    defects: { projected: due => due.slice(0, Math.max(1, due.length - 1)) },
    symptom: /is not held|not what the log says|not as many|come to rest/,
  },
]

/** Defects that the log, its memory and its jobs must not have. */
export const DEFECTS: readonly DefectCase[] = [
  ...BROKEN_MEMORIES,
  ...EARLIER,
  ...BROKEN_STORES,
  ...BROKEN_WORK,
]
