import { currentSession } from '../../../session/session.ts'
import { createSessionStore } from '../../../session/session-store.ts'

/** A token that was just made, for snippets to be filled in with. In memory only: a reload forgets it. */
export type IssuedToken = { readonly credentialId: string; readonly name: string; readonly token: string }

let last: { readonly address: string; readonly issued: IssuedToken } | null = null
const store = createSessionStore(() =>
  last?.address === currentSession()?.address ? (last?.issued ?? null) : null,
)

/** Remembers a token until the page is left, for the wallet that is signed in. */
export function rememberToken(issued: IssuedToken): void {
  const address = currentSession()?.address
  if (address === undefined) return
  last = { address, issued }
  store.notify()
}

/** The token made last on this page, or null. */
export const useIssuedToken = store.use
