import { GatewayError } from '@farebox/wire/errors'
import { createWaitingRoom, type Refusal, type RoomBounds } from './waiting-room.ts'

/** Takes items one by one and has them done many at a time. */
export type GroupCommit<Item, Outcome> = {
  /**
   * Adds an item to the next batch, ahead of all that wait for their turn.
   * @returns its own outcome, once its batch is committed
   * @throws whatever the batch failed with
   */
  submitFirst(item: Item): Promise<Outcome>
  /**
   * Adds an item to the batch in which its owner's turn comes; to be asked before: {@link GroupCommit.refusalOf}.
   * @returns its own outcome, once its batch is committed; or that it came too late
   * @throws whatever the batch failed with
   */
  submit(item: Item, owner: string): Promise<Outcome>
  /** Why an owner's next item is not to be submitted now; null when it may be. */
  refusalOf(owner: string): Refusal | null
  /** How many wait for their turn. */
  waiting(): number
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

type Waiter<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit. There is no timer: a batch goes as soon as a lane is free, and takes what the waiting room gives, so
 * an idle gateway answers at once and a busy one spreads each commit over many calls.
 *
 * A batch that fails as a whole is tried again by halves, so that an item that cannot be written fails alone. A
 * lost connection leaves open whether the batch was committed: it is tried again once, as it is, and items must
 * recognise what they did before.
 *
 * @param options.lanes   batches that may run at once
 * @param options.room    bounds of what waits
 * @param options.run     does one batch in one transaction; outcomes in the order of the items
 * @param options.tooLate outcome of an item that waited for so long that it is not done any more
 * @param options.elapsed ms since some moment, never set back
 * @param options.onTurn  told how long each one has waited for its turn, in ms
 * @param options.bytesOf about how much of an item is written, in bytes
 */
export function createGroupCommit<Item, Outcome>(options: {
  lanes: number
  room: RoomBounds
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>
  tooLate: () => Outcome
  elapsed: () => number
  onTurn?: (waitedMs: number) => void
  bytesOf?: (item: Item) => number
}): GroupCommit<Item, Outcome> {
  const { lanes, run, tooLate, elapsed, onTurn, bytesOf } = options
  const room = createWaitingRoom<Waiter<Item, Outcome>>(options.room, {
    elapsed,
    ...(onTurn !== undefined && { onTurn }),
    ...(bytesOf !== undefined && { bytesOf: ({ item }) => bytesOf(item) }),
  })
  let running = 0
  let whenIdle: (() => void)[] = []

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
  /** Items that arrive in the same turn of the event loop go together. */
  const afterArrival = (): void => {
    if (room.size() === 1) setImmediate(flush)
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
      return new Promise(done => {
        whenIdle = [...whenIdle, done]
      })
    },
  }
}

/** Runs a batch and gives every waiter its own outcome or error. Never rejects. */
async function settleBatch<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  batch: readonly Waiter<Item, Outcome>[],
): Promise<void> {
  try {
    const items = batch.map(waiter => waiter.item)
    const outcomes = await run(items).catch(error =>
      isConnectionLost(error) ? run(items) : Promise.reject(error),
    )
    for (const [index, waiter] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) waiter.reject(new Error('The batch gave no outcome for an item.'))
      else waiter.resolve(outcome)
    }
  } catch (error) {
    if (batch.length === 1 || isConnectionLost(error)) {
      for (const waiter of batch) waiter.reject(error)
      return
    }
    const middle = Math.ceil(batch.length / 2)
    await settleBatch(run, batch.slice(0, middle))
    await settleBatch(run, batch.slice(middle))
  }
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'UNAVAILABLE'
}
