import { isUnavailable } from '@farebox/wire/errors'
import { createAdmissionQueue, type Refusal, type RoomBounds } from './admission-queue.ts'

/** Collects items and processes them in batches. */
export type GroupCommit<Item, Outcome> = {
  /**
   * Adds an item to the next batch, ahead of the queue.
   * @returns its outcome once its batch is committed
   * @throws the error of its batch
   */
  submitFirst(item: Item): Promise<Outcome>
  /**
   * Queues an item of an owner. Check {@link GroupCommit.refusalOf} first.
   * @returns its outcome once its batch is committed, or `tooLate`
   * @throws the error of its batch
   */
  submit(item: Item, owner: string): Promise<Outcome>
  /** Returns why the owner's next item would be refused now; null if it would not. */
  refusalOf(owner: string): Refusal | null
  /** Returns the number of queued items. */
  waiting(): number
  /** Resolves when no item is queued and no batch is running. */
  idle(): Promise<void>
}

type Waiter<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit without a timer: a batch starts as soon as a lane is free. An idle gateway answers at once; a busy one
 * shares each commit among many calls.
 *
 * A failed batch is split in halves and retried, so that an item that cannot be written fails alone. If the connection
 * was lost, the commit may have succeeded: the batch is retried once unchanged, and `run` must recognise items that
 * were committed.
 *
 * @param options.lanes   maximum concurrent batches
 * @param options.room    limits of the queue
 * @param options.run     commits one batch and returns the outcomes in the order of the items
 * @param options.tooLate returns the outcome of an item that waited too long
 * @param options.elapsed monotonic clock, in ms
 * @param options.onTurn  called with the queueing time of each item, in ms
 * @param options.bytesOf estimates the bytes that an item writes
 * @param options.afterTurn runs a callback after the current turn of the event loop; default: setImmediate
 */
export function createGroupCommit<Item, Outcome>(options: {
  lanes: number
  room: RoomBounds
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>
  tooLate: () => Outcome
  elapsed: () => number
  onTurn?: (waitedMs: number) => void
  bytesOf?: (item: Item) => number
  afterTurn?: ((run: () => void) => void) | undefined
}): GroupCommit<Item, Outcome> {
  const { lanes, run, tooLate, elapsed, onTurn, bytesOf, afterTurn = setImmediate } = options
  const room = createAdmissionQueue<Waiter<Item, Outcome>>(options.room, {
    elapsed,
    ...(onTurn !== undefined && { onTurn }),
    ...(bytesOf !== undefined && { bytesOf: ({ item }) => bytesOf(item) }),
  })
  let running = 0
  const whenIdle: (() => void)[] = []

  const flush = (): void => {
    while (running < lanes && room.size() > 0) {
      const { batch, late } = room.next()
      for (const waiter of late) waiter.resolve(tooLate())
      if (batch.length === 0) continue
      running += 1
      const from = elapsed()
      void settleBatch(run, batch).then(() => {
        room.learn(batch.length, elapsed() - from)
        running -= 1
        flush()
      })
    }
    if (running > 0 || room.size() > 0) return
    for (const done of whenIdle.splice(0)) done()
  }
  /** Items that arrive in the same turn of the event loop share a batch. */
  const afterArrival = (): void => {
    if (room.size() === 1) afterTurn(flush)
  }

  return {
    submitFirst: item =>
      new Promise((resolve, reject) => {
        room.enterFirst({ item, resolve, reject })
        afterArrival()
      }),
    submit: (item, owner) =>
      new Promise((resolve, reject) => {
        room.enter(owner, { item, resolve, reject })
        afterArrival()
      }),
    refusalOf: room.refusalOf,
    waiting: room.waiting,
    idle() {
      if (running === 0 && room.size() === 0) return Promise.resolve()
      return new Promise(done => whenIdle.push(done))
    },
  }
}

/** Runs a batch and settles the promise of each item. Never rejects. */
async function settleBatch<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  batch: readonly Waiter<Item, Outcome>[],
): Promise<void> {
  try {
    const items = batch.map(waiter => waiter.item)
    const outcomes = await run(items).catch(error =>
      isUnavailable(error) ? run(items) : Promise.reject(error),
    )
    for (const [index, waiter] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) waiter.reject(new Error('The batch returned no outcome for an item.'))
      else waiter.resolve(outcome)
    }
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) {
      for (const waiter of batch) waiter.reject(error)
      return
    }
    const middle = Math.ceil(batch.length / 2)
    await settleBatch(run, batch.slice(0, middle))
    await settleBatch(run, batch.slice(middle))
  }
}
