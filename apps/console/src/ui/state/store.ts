import { useSyncExternalStore } from 'react'

/** A value of the whole page, of which components show what it is now. */
export type Store<Value> = {
  readonly read: () => Value
  readonly set: (next: Value) => void
  /** Hears of every change; returns how not to any more. */
  readonly watch: (listener: () => void) => () => void
  readonly use: () => Value
}

/** @param first what it is until it is set; also what a page shows that is drawn when the console is built */
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
