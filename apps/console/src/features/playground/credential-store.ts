import { currentSession } from '../../session/session.ts'
import { createSessionStore } from '../../session/session-store.ts'

/** A credential to try services with. `wallet` is who made it here; null when its token was pasted. */
export type TrialCredential = {
  readonly token: string
  readonly name: string
  readonly limitUsdc: string | null
  readonly wallet: string | null
}

const KEY = 'farebox.playground.credential'
let kept: TrialCredential | null = read()

function read(): TrialCredential | null {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as TrialCredential | null
    return typeof value?.token === 'string' ? value : null
  } catch {
    return null
  }
}

/** Keeps a credential for this tab, until it is closed; null forgets it. */
export function keepCredential(credential: TrialCredential | null): void {
  kept = credential
  if (credential === null) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, JSON.stringify(credential))
  shown.notify()
}

/** One that a wallet has made is for that wallet only: who signs in next does not spend from it. */
const shown = createSessionStore(() => {
  if (kept === null || kept.wallet === null) return kept
  return kept.wallet === currentSession()?.address ? kept : null
})

/** The credential of this tab, or null. */
export const useCredential = shown.use
