import { safeSessionStorage } from '../ui/state/safe-storage.ts'
import { currentSession } from './session.ts'
import { createSessionStore } from './session-store.ts'

/** A credential for trying services in this tab. `wallet` created it here; null when its token was pasted. */
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
    const value = JSON.parse(safeSessionStorage.getItem(KEY) ?? 'null') as TrialCredential | null
    return typeof value?.token === 'string' ? value : null
  } catch {
    return null
  }
}

/** Stores a credential until the tab is closed; null removes it. */
export function keepCredential(credential: TrialCredential | null): void {
  kept = credential
  if (credential === null) safeSessionStorage.removeItem(KEY)
  else safeSessionStorage.setItem(KEY, JSON.stringify(credential))
  shown.notify()
}

/** A credential created by a wallet is only for that wallet: the next one to sign in must not spend from it. */
const shown = createSessionStore(() => {
  if (kept === null || kept.wallet === null) return kept
  return kept.wallet === currentSession()?.address ? kept : null
})

/** Returns the credential of this tab, or null. */
export const useCredential = shown.use
