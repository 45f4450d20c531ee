import { createBatchTime } from './batch-time.ts'
import { createFairQueue } from './fair-queue.ts'
import { createFifo } from './fifo.ts'

/** Most of each kind in one batch: what bounds the time that a batch takes. */
const FIRST_MAX = 512
const IN_TURN_MAX = 256
/** Bytes past which a batch takes no more of those that go first: answers are written with it. */
const FIRST_BYTES_MAX = 4_194_304
/** Items of a batch when many wait: for each hold that has its turn, a call that had it before is settled. */
const FULL_BATCH = 2 * IN_TURN_MAX
/** Whoever has waited so many times as long as he may be expected to, is too late. */
const LATE_FACTOR = 4

/** Bounds of what waits. */
export type RoomBounds = {
  /** Most that wait for their turn, of all owners. */
  readonly placesMax: number
  /** Longest time that a newcomer may be expected to wait for his turn, in ms. */
  readonly waitMsMax: number
}

/** Why a newcomer is not let in, and after how many ms he may be. */
export type Refusal = { readonly reason: 'wait' | 'room'; readonly waitMs: number }

/** A batch, and those whose turn came too late for them. */
export type Turn<Item> = { readonly batch: readonly Item[]; readonly late: readonly Item[] }

/**
 * What waits for a batch. Some go first: they are never refused, and every batch has places for them. The others wait
 * in turn, fairly between owners ({@link createFairQueue}), and within bounds (docs/adr/0007):
 *
 * - an owner may have as many waiting as there are places free, so that one owner fills half of the room at most, and
 *   whoever comes after him always finds a place;
 * - nobody is let in who would wait for too long, judged by his own turn: by what he has waiting himself and how many
 *   others there are, not by how many of somebody else's are in the room.
 */
export type WaitingRoom<Item> = {
  enterFirst(item: Item): void
  /** Lets somebody in, as {@link WaitingRoom.refusalOf} allows. */
  enter(owner: string, item: Item): void
  /** Why an owner's next one is not to be let in now; null when it is. Who finds nothing waiting is never refused. */
  refusalOf(owner: string): Refusal | null
  /** Takes out who is in the next batch. */
  next(): Turn<Item>
  /** Learns how long a batch of so many took, in ms. */
  learn(items: number, ms: number): void
  /** All that wait. */
  size(): number
  /** Those that wait for their turn. */
  waiting(): number
}

/**
 * @param options.elapsed ms since some moment, never set back
 * @param options.onTurn  told how long each one has waited for its turn, in ms
 * @param options.bytesOf about how much of an item is written, in bytes; absent: nothing that counts
 */
export function createWaitingRoom<Item extends object>(
  bounds: RoomBounds,
  options: {
    elapsed: () => number
    onTurn?: (waitedMs: number) => void
    bytesOf?: (item: Item) => number
  },
): WaitingRoom<Item> {
  const { elapsed, onTurn, bytesOf = () => 0 } = options
  const first = createFifo<Item>()
  const inTurn = createFairQueue<{ readonly item: Item; readonly since: number }>()
  const batchTime = createBatchTime()

  const expectedMs = (owner: string): number => {
    const own = inTurn.sizeOf(owner)
    const others = inTurn.owners() - (own > 0 ? 1 : 0)
    // One of each other owner goes before each of his own, if there are as many.
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
