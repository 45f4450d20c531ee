import { useSyncExternalStore } from 'react'
import { safeLocalStorage } from '../ui/state/safe-storage.ts'
import { createStore } from '../ui/state/store.ts'
import { readStoredSession, SESSION_KEY, type Session } from './stored-session.ts'

export type { Session } from './stored-session.ts'

const store = createStore<Session | null>(readStoredSession())

/** Follows sign-ins and sign-outs of other tabs. Call once, at start. */
export function listenToOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key !== SESSION_KEY && event.key !== null) return
    store.set(readStoredSession())
  })
}

/** Returns the current session, even if it may have expired, or null. */
export const currentSession = store.read

/** Stores a session in every tab; null signs out. */
export function keepSession(session: Session | null): void {
  if (session === null) safeLocalStorage.removeItem(SESSION_KEY)
  else safeLocalStorage.setItem(SESSION_KEY, JSON.stringify(session))
  store.set(session)
}

/** Shows pages as for a session that is not stored, to prerender them. */
export const assumeSession = store.set

/** Subscribes to changes of the session by this tab and others. */
export const watchSession = store.watch

/** Returns the current session, or null, and re-renders when it changes. */
export const useSession = () => useSyncExternalStore(store.watch, store.read, store.read)
