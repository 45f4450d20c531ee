import { createStore } from '../ui/state/store.ts'

/** The session of a signed-in wallet. The browser keeps it for all tabs, also after it was closed. */
export type Session = {
  /** With EIP-55 checksum. */
  readonly address: `0x${string}`
  readonly token: string
  /** Unix ms by this machine's clock, counted from the arrival of the token, so a wrong clock does no harm. */
  readonly expiresAt: number
}

const KEY = 'farebox.session'
const store = createStore<Session | null>(read())

function read(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null
    return session !== null && typeof session.token === 'string' ? session : null
  } catch {
    return null
  }
}

/** Follows sign-ins and sign-outs of other tabs. Call once, at start. */
export function listenToOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key !== KEY && event.key !== null) return
    store.set(read())
  })
}

/** Returns the current session, even if it may have expired, or null. */
export const currentSession = store.read

/** Stores a session in every tab; null signs out. */
export function keepSession(session: Session | null): void {
  if (session === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(session))
  store.set(session)
}

/** Subscribes to changes of the session by this tab and others. */
export const watchSession = store.watch

/** Returns the current session, or null, and re-renders when it changes. */
export const useSession = store.use
