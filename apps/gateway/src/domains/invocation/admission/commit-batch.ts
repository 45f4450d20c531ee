import { GatewayError } from '@farebox/wire/errors'
import { PARTITIONS } from '@farebox/wire/partition'
import type { Deps, Tx } from '../../../ports.ts'
import {
  type AppendedParts,
  type BatchAppender,
  createBatchAppender,
  type DonePart,
  type LiveVersions,
} from '../log/append-batch.ts'
import { createDatabaseTime } from '../log/database-time.ts'
import { createLogFollower, type LogFollower } from '../log/follow-log.ts'
import { createLedgerMemory, type LedgerMemory } from '../log/ledger-memory.ts'
import type { LedgerStore, LockingStore } from '../log/ledger-store.ts'
import type { Settlement } from '../rules.ts'
import { type Item, type Part, partsOf } from './call-batch.ts'
import type { Outcome, Settled } from './decide-batch.ts'

/** Maximum attempts to decide a batch: keys were known, services had changed, or the time was off. */
const TRIES_MAX = 4

/** Dependencies of the committer. `onAppended` is called after each commit and wakes the projector. */
export type LedgerDeps = Pick<Deps, 'clock' | 'instanceId' | 'metrics'> & {
  readonly config: Pick<Deps['config'], 'PLATFORM_FEE_BPS'>
  readonly store: LedgerStore
  readonly onAppended: () => void
}

/** Limits of the committer, and its state. */
export type LedgerOptions = {
  /** Default: a new one. */
  readonly memory?: LedgerMemory
  /** Size of the cache of announcements that are sent once. */
  readonly announcedMax?: number
}

/** Decides batches on the state in memory and commits them to the log. */
export type BatchCommitter = {
  /** Commits one batch. Returns the outcome of each item, in order. */
  run(items: readonly Item[]): Promise<readonly Outcome[]>
  /** See {@link CallLedger.settleAfter}. */
  settleAfter(settlement: Settlement, before: (tx: Tx) => Promise<void>): Promise<Settled>
}

/**
 * Appends without explicit locks while no other gateway appends to the same partitions; takes the locks of the
 * partitions after a conflict, or if an owner must be loaded (docs/adr/0013).
 */
export function createBatchCommitter(deps: LedgerDeps, options: LedgerOptions): BatchCommitter {
  const { store, metrics, onAppended } = deps
  const { memory = createLedgerMemory(PARTITIONS) } = options
  const time = createDatabaseTime(deps.clock)
  const feeBps = deps.config.PLATFORM_FEE_BPS
  const steps = {
    follower: createLogFollower(memory, { ...deps, time }),
    appender: createBatchAppender({ ...deps, ...options, memory, time, feeBps }),
  }

  const keep = (done: readonly DonePart[]): Map<Item, Outcome> => {
    if (done.some(({ row }) => row !== null)) onAppended()
    return steps.appender.keep(done)
  }
  const commit = async (
    parts: readonly Part[],
    outcomes: Map<Item, Outcome>,
  ): Promise<'appended' | 'locked'> => {
    const live: LiveVersions = new Map()
    let rest = parts
    for (let tries = 1; tries <= TRIES_MAX && rest.length > 0; tries += 1) {
      if (!steps.follower.isInStep(rest)) break
      const { done, missed, isOvertaken } = await appendAlone(steps, store, { parts: rest, live })
      for (const [item, outcome] of keep(done)) outcomes.set(item, outcome)
      rest = missed
      if (!isOvertaken) continue
      metrics.count('farebox_ledger_conflicts_total', {})
      break
    }
    if (rest.length === 0) return 'appended'
    const locked = { parts: rest, live }
    const done = await store.transaction(within => appendLocked(steps, within, locked))
    for (const [item, outcome] of keep(done)) outcomes.set(item, outcome)
    return 'locked'
  }

  return {
    async run(items) {
      metrics.observe('farebox_batch_items', {}, items.length)
      const from = metrics.time()
      const outcomes = new Map<Item, Outcome>()
      const how = await commit(partsOf(items, memory), outcomes)
      metrics.count('farebox_ledger_batches_total', { how })
      metrics.observe('farebox_batch_seconds', { how }, metrics.time() - from)
      return items.map(item => outcomes.get(item) as Outcome)
    },
    async settleAfter(settlement, before) {
      const item = { settle: settlement }
      try {
        const done = await store.transaction(async within => {
          await before(within.tx)
          const all = await appendLocked(steps, within, { parts: partsOf([item], memory), live: new Map() })
          const settled = all[0]?.decision.outcomes[0] as Settled
          // This transaction is never retried, so another one has settled a call that is already settled.
          if (settled.kind === 'lost') throw new Lost(settled)
          if (!settled.isNew) throw new Lost({ kind: 'lost', state: null })
          return all
        })
        return keep(done).get(item) as Settled
      } catch (error) {
        if (error instanceof Lost) return error.settled
        throw error
      }
    },
  }
}

/** The parts to append. Services that have changed are added to `live`. */
type Wanted = { readonly parts: readonly Part[]; readonly live: LiveVersions }

/** Appends in one statement, or in a transaction if announcements must be queued with it. */
function appendAlone(
  { appender }: { readonly appender: BatchAppender },
  store: LedgerStore,
  { parts, live }: Wanted,
): Promise<AppendedParts> {
  const decided = appender.decide(parts, live)
  if (decided.parts.every(({ decision }) => decision.news.length === 0))
    return appender.append(store, decided, live)
  return store.transaction(async within => {
    const appended = await appender.append(within, decided, live)
    announceWith(within, appended.done)
    return appended
  })
}

/** Locks the partitions, applies new log rows, then decides and appends. */
async function appendLocked(
  { follower, appender }: { readonly follower: LogFollower; readonly appender: BatchAppender },
  within: LockingStore,
  { parts, live }: Wanted,
): Promise<DonePart[]> {
  await follower.follow(within, parts)
  const all: DonePart[] = []
  let rest = parts
  for (let tries = 1; rest.length > 0; tries += 1) {
    // Round trips may outlast a decision. Callers retry settlements.
    if (tries > TRIES_MAX) throw new GatewayError('UNAVAILABLE')
    const { done, missed } = await appender.append(within, appender.decide(rest, live), live)
    all.push(...done)
    rest = missed
  }
  announceWith(within, all)
  return all
}

/** Not awaited: the statement is sent with COMMIT, which fails if it fails. */
function announceWith(within: LockingStore, done: readonly DonePart[]): void {
  const news = done.flatMap(({ decision }) => decision.news)
  if (news.length > 0) within.announce(news).catch(() => undefined)
}

/** Rolls back the transaction of a settlement that came too late. */
class Lost extends Error {
  readonly settled: Settled
  constructor(settled: Settled) {
    super('Another settlement was first.')
    this.settled = settled
  }
}
