import { useSyncExternalStore } from 'react'

/** A global value that components can subscribe to. */
export type Store<Value> = {
  readonly read: () => Value
  readonly set: (next: Value) => void
  /** Subscribes to changes; returns the function that unsubscribes. */
  readonly watch: (listener: () => void) => () => void
  readonly use: () => Value
}

/**
 * Creates a store.
 *
 * @param first the initial value, and the value in prerendered pages
 */
export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  const read = () => value
  function watch(listener: () => void): () => void {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    read,
    watch,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(watch, read, () => first),
  }
}
