import { createBatchCost } from './batch-cost.ts'
import { createFairQueue } from './fair-queue.ts'
import { createFifo } from './fifo.ts'

/** Maximum items of each kind per batch, which bounds its duration. */
const FIRST_MAX = 512
const IN_TURN_MAX = 256
/** A batch takes no further priority items once their answers exceed this many bytes. */
const FIRST_BYTES_MAX = 4_194_304
/** Approximate items per batch under load: one hold for each settlement. */
const FULL_BATCH = 2 * IN_TURN_MAX
/** Drops items that have waited longer than this multiple of `waitMsMax`. */
const LATE_FACTOR = 4

/** Limits of the queue. */
export type RoomBounds = {
  /** Maximum queued items of all owners. */
  readonly placesMax: number
  /** Maximum expected wait of a new item, in ms. */
  readonly waitMsMax: number
}

/** Reason of a refusal, and when to retry, in ms. */
export type Refusal = { readonly reason: 'wait' | 'room'; readonly waitMs: number }

/** A batch, and the items that were dropped because they waited too long. */
export type Turn<Item> = { readonly batch: readonly Item[]; readonly late: readonly Item[] }

/**
 * Items that wait for a batch. Priority items are never refused, and every batch has places for them. The others are
 * queued fairly between owners ({@link createFairQueue}) and within limits (docs/adr/0007):
 *
 * - an owner may queue as many items as there are free places, so one owner fills at most half of the queue and the next
 *   owner always finds a place;
 * - an item that would wait too long is refused. The expected wait depends on the owner's own items and on the number of
 *   other owners, not on how many items those have.
 */
export type AdmissionQueue<Item> = {
  enterFirst(item: Item): void
  /** Queues an item. Ask {@link AdmissionQueue.refusalOf} first. */
  enter(owner: string, item: Item): void
  /** Returns why an owner's next item would be refused now; null if it would not. An empty queue refuses nothing. */
  refusalOf(owner: string): Refusal | null
  /** Removes and returns the next batch. */
  next(): Turn<Item>
  /** Records that a batch of `items` took `ms`. */
  learn(items: number, ms: number): void
  /** Returns the number of items. */
  size(): number
  /** Returns the number of queued items, without priority items. */
  waiting(): number
}

/**
 * @param options.elapsed monotonic clock, in ms
 * @param options.onTurn  called with the queueing time of each item, in ms
 * @param options.bytesOf estimates the bytes that an item writes; default: 0
 */
export function createAdmissionQueue<Item extends object>(
  bounds: RoomBounds,
  options: {
    elapsed: () => number
    onTurn?: (waitedMs: number) => void
    bytesOf?: (item: Item) => number
  },
): AdmissionQueue<Item> {
  const { elapsed, onTurn, bytesOf = () => 0 } = options
  const first = createFifo<Item>()
  const inTurn = createFairQueue<{ readonly item: Item; readonly since: number }>()
  const batchTime = createBatchCost()

  const expectedMs = (owner: string): number => {
    const own = inTurn.sizeOf(owner)
    const others = inTurn.owners() - (own > 0 ? 1 : 0)
    // Each other owner gets one item before each of the owner's items, if it has as many.
    const before = Math.min(inTurn.size(), own + others * (own + 1))
    return Math.floor(before / IN_TURN_MAX) * batchTime.of(FULL_BATCH)
  }

  return {
    enterFirst(item) {
      first.push(item)
    },
    enter(owner, item) {
      inTurn.push(owner, { item, since: elapsed() })
    },
    refusalOf(owner) {
      const waitMs = expectedMs(owner)
      if (waitMs > bounds.waitMsMax) return { reason: 'wait', waitMs }
      const isFull = inTurn.sizeOf(owner) >= bounds.placesMax - inTurn.size()
      return isFull ? { reason: 'room', waitMs } : null
    },
    next() {
      const batch: Item[] = []
      const late: Item[] = []
      let bytes = 0
      for (let item = first.shift(); item !== undefined; item = first.shift()) {
        batch.push(item)
        bytes += bytesOf(item)
        if (batch.length === FIRST_MAX || bytes >= FIRST_BYTES_MAX) break
      }
      const places = batch.length + IN_TURN_MAX
      while (batch.length < places) {
        const entry = inTurn.shift()
        if (entry === undefined) break
        const waitedMs = elapsed() - entry.since
        onTurn?.(waitedMs)
        const isLate = waitedMs > LATE_FACTOR * bounds.waitMsMax
        if (isLate) late.push(entry.item)
        else batch.push(entry.item)
      }
      return { batch, late }
    },
    learn: batchTime.learn,
    size: () => first.size() + inTurn.size(),
    waiting: () => inTurn.size(),
  }
}
