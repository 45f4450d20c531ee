import { useSyncExternalStore } from 'react'
import { watchSession } from './session.ts'

/**
 * Creates a store of this tab whose value depends on the signed-in wallet.
 *
 * @param read returns the current value; the same object as long as nothing has changed
 * @returns `notify` makes subscribers read again, as does a change of the session; `use` returns null in prerendered pages
 */
export function createSessionStore<Value>(read: () => Value | null): {
  notify: () => void
  use: () => Value | null
} {
  const listeners = new Set<() => void>()
  function watch(listener: () => void): () => void {
    listeners.add(listener)
    const unwatch = watchSession(listener)
    return () => {
      listeners.delete(listener)
      unwatch()
    }
  }
  return {
    notify() {
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(watch, read, () => null),
  }
}
