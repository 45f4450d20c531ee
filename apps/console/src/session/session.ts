import { createStore } from '../ui/state/store.ts'

/** A wallet that has signed in. The token is store by the browser, for all tabs; closing the browser keeps it, too. */
export type Session = {
  /** EIP-55. */
  readonly address: `0x${string}`
  readonly token: string
  /** Unix ms by the clock of this machine, counted from when the token came: a clock that is wrong does no harm. */
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

/** Other tabs sign in and out as well. Once, when the console begins. */
export function listenToOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key !== KEY && event.key !== null) return
    store.set(read())
  })
}

/** The session at this moment, also when it may have expired. */
export const currentSession = store.read

/** Signs in, or out with null, in every tab. */
export function keepSession(session: Session | null): void {
  if (session === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(session))
  store.set(session)
}

/** Hears of every change, of this tab and others. */
export const watchSession = store.watch

/** Who is signed in, or null. */
export const useSession = store.use
