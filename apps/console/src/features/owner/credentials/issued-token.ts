import { currentSession } from '../../../session/session.ts'
import { createSessionStore } from '../../../session/session-store.ts'

/** A token that was just issued, to fill in snippets. Kept in memory only. */
export type IssuedToken = { readonly credentialId: string; readonly name: string; readonly token: string }

let last: { readonly address: string; readonly issued: IssuedToken } | null = null
const store = createSessionStore(() =>
  last?.address === currentSession()?.address ? (last?.issued ?? null) : null,
)

/** Remembers a token for the signed-in wallet until the page is reloaded. */
export function rememberToken(issued: IssuedToken): void {
  const address = currentSession()?.address
  if (address === undefined) return
  last = { address, issued }
  store.notify()
}

/** Returns the last token issued on this page, or null. */
export const useIssuedToken = store.use
