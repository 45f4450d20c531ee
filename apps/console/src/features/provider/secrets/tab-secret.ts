import { currentSession } from '../../../session/session.ts'
import { createSessionStore } from '../../../session/session-store.ts'
import { safeSessionStorage } from '../../../ui/state/safe-storage.ts'

/** The provider secret that this tab uses. */
export type TabSecret = { readonly id: string | null; readonly name: string; readonly secretKey: string }

let parsed: { readonly text: string; readonly secret: TabSecret } | null = null

const keyOf = () => {
  const address = currentSession()?.address
  return address === undefined ? null : `farebox.secret.${address.toLowerCase()}`
}

const store = createSessionStore((): TabSecret | null => {
  const key = keyOf()
  const text = key === null ? null : safeSessionStorage.getItem(key)
  if (text === null) return null
  if (parsed?.text !== text) parsed = { text, secret: JSON.parse(text) as TabSecret }
  return parsed.secret
})

/** Stores a secret for this tab and wallet; null removes it. */
export function storeTabSecret(secret: TabSecret | null): void {
  const key = keyOf()
  if (key === null) return
  if (secret === null) safeSessionStorage.removeItem(key)
  else safeSessionStorage.setItem(key, JSON.stringify(secret))
  store.notify()
}

/** Returns the secret that this tab uses, or null. */
export const useTabSecret = store.use
