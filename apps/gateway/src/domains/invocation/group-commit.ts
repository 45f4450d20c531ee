import { GatewayError } from '@farebox/wire/errors'

/** Most items that wait at once; past it the newcomer is turned away rather than kept. */
const WAITING_MAX = 20_000
/** Most items in one transaction. */
const BATCH_MAX = 512
const RETRY_AFTER_SECONDS = 1

/** Takes items one by one and has them done many at a time. */
export type GroupCommit<Item, Outcome> = {
  /**
   * Adds an item to the next batch.
   * @returns its own outcome, once its batch is committed
   * @throws GatewayError UNAVAILABLE when too many wait; otherwise whatever the batch failed with
   */
  submit(item: Item): Promise<Outcome>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

type Waiter<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit. There is no timer: a batch goes as soon as a lane is free, and takes all that came meanwhile, so
 * an idle gateway answers at once and a busy one spreads each commit over many calls.
 *
 * A batch that fails as a whole is tried again by halves, so that an item that cannot be written fails alone. A
 * lost connection leaves open whether the batch was committed: it is tried again once, as it is, and items must
 * recognise what they did before.
 *
 * @param options.lanes batches that may run at once
 * @param options.run   does one batch in one transaction; outcomes in the order of the items
 */
export function createGroupCommit<Item, Outcome>(options: {
  lanes: number
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>
}): GroupCommit<Item, Outcome> {
  let waiting: Waiter<Item, Outcome>[] = []
  let running = 0
  let whenIdle: (() => void)[] = []

  const flush = (): void => {
    while (running < options.lanes && waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX)
      waiting = waiting.slice(BATCH_MAX)
      running += 1
      void settleBatch(options.run, batch).then(() => {
        running -= 1
        flush()
        if (running > 0 || waiting.length > 0) return
        for (const done of whenIdle.splice(0)) done()
      })
    }
  }

  return {
    submit(item) {
      if (waiting.length >= WAITING_MAX) {
        return Promise.reject(new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        // Items that arrive in the same turn of the event loop go together.
        if (waiting.length === 1) setImmediate(flush)
      })
    },
    idle() {
      if (running === 0 && waiting.length === 0) return Promise.resolve()
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
