import type { Clock } from '../../../ports.ts'
import { createBoundedCache } from '../../../runtime/bounded-cache.ts'
import type { Announcement } from '../../webhooks/announce.ts'
import { batchOf, type Item, openWorld, type Part } from '../admission/call-batch.ts'
import { type Decision, decideBatch, type Outcome } from '../admission/decide-batch.ts'
import { appendOf } from './append-decision.ts'
import type { Append } from './append-statement.ts'
import type { Appended } from './append-store.ts'
import type { DatabaseTime } from './database-time.ts'
import { isAt } from './follow-log.ts'
import { changeOf } from './ledger-events.ts'
import type { LedgerMemory } from './ledger-memory.ts'
import type { LedgerStore } from './ledger-store.ts'

/** Size of the cache of announcements that are sent once: refusals come by the thousand. */
const ANNOUNCED_MAX = 10_000
const ANNOUNCED_MS = 60_000

/**
 * A part of a batch with its decision, not appended yet. `append` has the position of the decision, as the state may
 * have moved on when it is sent.
 */
export type DecidedPart = Part & { readonly decision: Decision; readonly append: Append }

/** An appended part. It takes effect on commit. `row` is null if nothing changed. */
export type DonePart = Part & {
  readonly decision: Decision
  readonly row: { readonly seq: bigint; readonly hash: Buffer } | null
  readonly projected: bigint
}

/** Current versions of services that differ from the quoted ones, by id; null if the service cannot be called. */
export type LiveVersions = Map<string, bigint | null>

/** Result of an append. `isOvertaken`: another writer appended to the partition of a missed part. */
export type AppendedParts = {
  readonly done: readonly DonePart[]
  readonly missed: readonly Part[]
  readonly isOvertaken: boolean
}

/** The three steps of a batch on the state in memory. */
export type BatchAppender = {
  /** Decides parts without changing the state. */
  decide(parts: readonly Part[], live: LiveVersions): DecidedParts
  /** Appends decisions, and adds to `live` the services that changed since their quotes. */
  append(on: Pick<LedgerStore, 'append'>, decided: DecidedParts, live: LiveVersions): Promise<AppendedParts>
  /** Applies committed parts to the state. Returns the outcome of each item. */
  keep(done: readonly DonePart[]): Map<Item, Outcome>
}
type DecidedParts = { readonly parts: readonly DecidedPart[]; readonly at: Date }

/**
 * @param deps.feeBps       platform fee, in basis points
 * @param deps.announcedMax size of the cache of announcements that are sent only once
 */
export function createBatchAppender(deps: {
  readonly memory: LedgerMemory
  readonly time: DatabaseTime
  readonly clock: Clock
  readonly instanceId: string
  readonly feeBps: number
  readonly announcedMax?: number | undefined
}): BatchAppender {
  const { memory, time, clock, instanceId, feeBps, announcedMax = ANNOUNCED_MAX } = deps
  const announced = createBoundedCache<string, true>(announcedMax, { ttl: ANNOUNCED_MS })
  const isNews = ({ onceKey }: Announcement) => onceKey === undefined || !announced.has(onceKey)
  let batches = 0

  return {
    decide(parts, live) {
      const at = time.now()
      const from = { instanceId, feeBps, now: at, live }
      const decided = parts.map((part): DecidedPart => {
        const batch = batchOf(part.items)
        const world = openWorld(batch, memory, { partition: part.partition, now: at, live })
        const decision = decideBatch({ batch, world, isNews })
        const { effects } = decision
        return { ...part, decision, append: appendOf(part.partition, { holds: batch.holds, effects }, from) }
      })
      return { parts: decided, at }
    },
    async append(on, { parts, at }, live) {
      batches += 1
      const appends = parts.map(({ append }) => append)
      const sentAt = clock.now()
      const appended = await on.append(appends, { writer: `${instanceId} ${batches}`, now: at })
      time.learn({ sentAt, read: appended.now })
      for (const [id, version] of appended.stale) live.set(id, version)
      learnKeys(memory, appended, appends)
      return sortOut(parts, appended)
    },
    keep(done) {
      const outcomes = new Map<Item, Outcome>()
      for (const { partition, items, decision, row, projected } of done) {
        if (row !== null) memory.apply(partition, { ...row, change: changeOf(decision.effects) })
        // The row is committed, so whatever was projected before it is durable.
        if (row !== null && projected > partition.projected) partition.projected = projected
        for (const { onceKey } of decision.news) if (onceKey !== undefined) announced.set(onceKey, true)
        for (const [index, item] of items.entries()) outcomes.set(item, decision.outcomes[index] as Outcome)
      }
      return outcomes
    },
  }
}

function learnKeys(memory: LedgerMemory, { known, partitions }: Appended, appends: readonly Append[]): void {
  for (const { partition: number, key, invocation } of known) {
    const partition = memory.partition(number)
    const result = partitions.find(({ partition: other }) => other === number)
    const sent = appends.find(({ partition: other }) => other === number)
    if (result === undefined || sent === undefined) continue
    // Keys are read before the lock. If another gateway appended since the decision, the call may have ended meanwhile,
    // which the tail shows.
    if (isAt(sent, result.position) && isAt(partition, result.position))
      memory.learnKey(partition, key, invocation)
  }
}

function sortOut(parts: readonly DecidedPart[], appended: Appended): AppendedParts {
  const results = new Map(appended.partitions.map(result => [result.partition, result]))
  const done: DonePart[] = []
  const missed: Part[] = []
  let isOvertaken = false
  for (const { partition, items, decision } of parts) {
    const result = results.get(partition.number)
    if (result === undefined) throw new Error('The log lacks a partition.')
    const { position, isGood, hash, projected } = result
    if (isGood) {
      const row = hash === null ? null : { seq: position.head + 1n, hash }
      done.push({ partition, items, decision, row, projected })
      continue
    }
    missed.push({ partition, items })
    isOvertaken ||= !isAt(partition, position)
  }
  return { done, missed, isOvertaken }
}
