import { createStore } from '../ui/state/store.ts'
import { currentSession, type Session, watchSession } from './session.ts'

/** Why the dialog opened: by request, because the session has ended, or because its wallet is not connected. */
export type SignInReason = 'asked' | 'expired' | 'disconnected'

type Request = {
  readonly reason: SignInReason
  /** The wallet whose session has expired or goes on: only it may continue the page. Null accepts any wallet. */
  readonly address: string | null
  readonly promise: Promise<Session | null>
  readonly settle: (session: Session | null) => void
}

const request = createStore<Request | null>(null)

/**
 * Opens the sign-in dialog, or joins the one that is open.
 *
 * @returns the new session, also when another tab signed in; null when the dialog was closed
 */
export function requestSignIn(reason: SignInReason = 'asked'): Promise<Session | null> {
  const open = request.read()
  if (open !== null) return open.promise
  const { promise, resolve } = Promise.withResolvers<Session | null>()
  const before = currentSession()
  const unwatch = watchSession(() => {
    const session = currentSession()
    if (session !== null && session.token !== before?.token) settle(session)
  })
  const settle = (session: Session | null) => {
    unwatch()
    request.set(null)
    resolve(session)
  }
  request.set({ reason, address: reason === 'asked' ? null : (before?.address ?? null), promise, settle })
  return promise
}

/** Returns the open request, for the dialog. */
export const useSignInRequest = request.use
