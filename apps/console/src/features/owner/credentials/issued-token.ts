import { ofSession } from '../../../session/of-session.ts'
import { currentSession } from '../../../session/session.ts'

/** A token that was just made, for snippets to be filled in with. In memory only: a reload forgets it. */
export type IssuedToken = { readonly credentialId: string; readonly name: string; readonly token: string }

let last: { readonly address: string; readonly issued: IssuedToken } | null = null
const kept = ofSession(() => (last?.address === currentSession()?.address ? (last?.issued ?? null) : null))

/** Remembers a token until the page is left, for the wallet that is signed in. */
export function rememberToken(issued: IssuedToken): void {
  const address = currentSession()?.address
  if (address === undefined) return
  last = { address, issued }
  kept.tell()
}

/** The token made last on this page, or null. */
export const useIssuedToken = kept.use
