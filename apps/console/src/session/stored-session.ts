import { safeLocalStorage } from '../ui/state/safe-storage.ts'

/** The session of a signed-in wallet. The browser keeps it for all tabs, also after it was closed. */
export type Session = {
  /** With EIP-55 checksum. */
  readonly address: `0x${string}`
  readonly token: string
  /** Unix ms by this machine's clock, counted from the arrival of the token, so a wrong clock does no harm. */
  readonly expiresAt: number
}

/** Key of the session in the browser's local storage. */
export const SESSION_KEY = 'farebox.session'

/** Returns the session that the browser keeps, even if it may have expired, or null. */
export function readStoredSession(): Session | null {
  try {
    const session = JSON.parse(safeLocalStorage.getItem(SESSION_KEY) ?? 'null') as Session | null
    return session !== null && typeof session.token === 'string' ? session : null
  } catch {
    return null
  }
}
