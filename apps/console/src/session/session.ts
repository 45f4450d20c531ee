import { useSyncExternalStore } from 'react'

/** A wallet that has signed in. The token is kept by the browser, for all tabs; closing the browser keeps it, too. */
export type Session = {
  /** EIP-55. */
  readonly address: `0x${string}`
  readonly token: string
  /** Unix ms by the clock of this machine, counted from when the token came: a clock that is wrong does no harm. */
  readonly expiresAt: number
}

const KEY = 'farebox.session'
const listeners = new Set<() => void>()
let kept: Session | null = read()

function read(): Session | null {
  try {
    const session = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null
    return session !== null && typeof session.token === 'string' ? session : null
  } catch {
    return null
  }
}

function tellAll(): void {
  for (const listener of listeners) listener()
}

/** Other tabs sign in and out as well. Once, when the console begins. */
export function listenToOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key !== KEY && event.key !== null) return
    kept = read()
    tellAll()
  })
}

/** The session at this moment, also when it may have expired. */
export function currentSession(): Session | null {
  return kept
}

/** Signs in, or out with null, in every tab. */
export function keepSession(session: Session | null): void {
  kept = session
  if (session === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(session))
  tellAll()
}

/** Hears of every change, of this tab and others. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Who is signed in, or null. */
export function useSession(): Session | null {
  return useSyncExternalStore(watchSession, currentSession, () => null)
}
