import { useSyncExternalStore } from 'react'
import { currentSession, watchSession } from '../../session/session.ts'

/** A token that was just made, for snippets to be filled in with. In memory only: a reload forgets it. */
export type IssuedToken = { readonly credentialId: string; readonly name: string; readonly token: string }

let kept: { readonly address: string; readonly issued: IssuedToken } | null = null
const listeners = new Set<() => void>()

function read(): IssuedToken | null {
  return kept !== null && kept.address === currentSession()?.address ? kept.issued : null
}

/** Remembers a token until the page is left, for the wallet that is signed in. */
export function rememberToken(issued: IssuedToken): void {
  const address = currentSession()?.address
  if (address === undefined) return
  kept = { address, issued }
  for (const listener of listeners) listener()
}

/** The token made last on this page, or null. */
export function useIssuedToken(): IssuedToken | null {
  return useSyncExternalStore(listener => {
    listeners.add(listener)
    const unwatch = watchSession(listener)
    return () => {
      listeners.delete(listener)
      unwatch()
    }
  }, read)
}
