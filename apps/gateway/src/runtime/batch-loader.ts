/** Returns the value of a key, or undefined. */
export type Load<Key, Value> = (key: Key) => Promise<Value | undefined>

/**
 * Returns a function that reads values by key in batches: keys requested in one turn of the event loop share one read.
 * Nothing is cached; a key requested again is read again.
 *
 * @param read             returns the existing values, by key; if it throws, all keys of its batch fail with the error
 * @param bounds.keysMax   maximum keys per read
 * @param bounds.readsMax  maximum reads in flight; further keys wait and share the next read
 */
export function createBatchLoader<Key, Value>(
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  bounds: { keysMax: number; readsMax: number },
): Load<Key, Value> {
  let waiting: {
    key: Key
    resolve: (value: Value | undefined) => void
    reject: (error: unknown) => void
  }[] = []
  let reads = 0
  let isScheduled = false

  const send = () => {
    isScheduled = false
    while (waiting.length > 0 && reads < bounds.readsMax) {
      const batch = waiting.slice(0, bounds.keysMax)
      waiting = waiting.slice(bounds.keysMax)
      reads += 1
      read(batch.map(({ key }) => key))
        .then(
          values => {
            for (const { key, resolve } of batch) resolve(values.get(key))
          },
          (error: unknown) => {
            for (const { reject } of batch) reject(error)
          },
        )
        .finally(() => {
          reads -= 1
          send()
        })
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isScheduled || reads >= bounds.readsMax) return
      // After the sockets that became readable in this turn: each may bring a request.
      isScheduled = true
      setImmediate(send)
    })
}
