import type { Clock } from '../ports.ts'

/**
 * Returns a function that reads a value at most once within `maxAgeMs`: callers in that time share the reading. A
 * failed reading is not cached.
 */
export function cached<Value>(
  clock: Pick<Clock, 'elapsed'>,
  maxAgeMs: number,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let newest: { readonly at: number; readonly value: Promise<Value> } | null = null
  return () => {
    const now = clock.elapsed()
    if (newest !== null && now - newest.at < maxAgeMs) return newest.value
    const reading = { at: now, value: read() }
    newest = reading
    reading.value.catch(() => {
      if (newest === reading) newest = null
    })
    return reading.value
  }
}

/** Work in flight, by key. */
export type Flights<Key, Value> = {
  /** Returns the work in flight for a key, or starts it. */
  join(key: Key, start: (key: Key) => Promise<Value>): Promise<Value>
  /** Keeps later callers from joining the work in flight, which may not see a recent change. */
  forget(): void
}

/** Concurrent callers with one key share the work. Nothing is cached afterwards. */
export function createFlights<Key, Value>(): Flights<Key, Value> {
  const inFlight = new Map<Key, Promise<Value>>()
  return {
    join(key, start) {
      const running = inFlight.get(key)
      if (running !== undefined) return running
      const started = start(key).finally(() => {
        if (inFlight.get(key) === started) inFlight.delete(key)
      })
      inFlight.set(key, started)
      return started
    },
    forget: () => inFlight.clear(),
  }
}
