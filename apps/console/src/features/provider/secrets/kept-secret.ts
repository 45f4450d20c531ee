import { ofSession } from '../../../session/of-session.ts'
import { currentSession } from '../../../session/session.ts'

/** A provider secret that this tab works with. */
export type KeptSecret = { readonly id: string | null; readonly name: string; readonly secretKey: string }

let parsed: { readonly text: string; readonly secret: KeptSecret } | null = null

const keyOf = () => {
  const address = currentSession()?.address
  return address === undefined ? null : `farebox.secret.${address.toLowerCase()}`
}

const kept = ofSession((): KeptSecret | null => {
  const key = keyOf()
  const text = key === null ? null : sessionStorage.getItem(key)
  if (text === null) return null
  if (parsed?.text !== text) parsed = { text, secret: JSON.parse(text) as KeptSecret }
  return parsed.secret
})

/** Keeps a secret for this tab and this wallet until the tab is closed, or forgets it with null. */
export function keepSecret(secret: KeptSecret | null): void {
  const key = keyOf()
  if (key === null) return
  if (secret === null) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(secret))
  kept.tell()
}

/** The secret that this tab works with, or null. */
export const useKeptSecret = kept.use
