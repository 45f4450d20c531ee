import { useSyncExternalStore } from 'react'
import { watchSession } from './session.ts'

/**
 * What a tab keeps for whoever is signed in.
 *
 * @param read what it is now, by the wallet of now; the same object as long as nothing has changed
 * @returns `notify` has everybody read it again, who also do so when the session changes
 */
export function createSessionStore<Value>(read: () => Value): { notify: () => void; use: () => Value } {
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
    use: () => useSyncExternalStore(watch, read, read),
  }
}
