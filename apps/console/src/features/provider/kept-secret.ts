import { useSyncExternalStore } from 'react'
import { currentSession, watchSession } from '../../session/session.ts'

/** A provider secret that this tab works with. */
export type KeptSecret = { readonly id: string | null; readonly name: string; readonly secretKey: string }

const listeners = new Set<() => void>()
let parsed: { readonly text: string; readonly secret: KeptSecret } | null = null

const keyOf = () => {
  const address = currentSession()?.address
  return address === undefined ? null : `farebox.secret.${address.toLowerCase()}`
}

function read(): KeptSecret | null {
  const key = keyOf()
  const text = key === null ? null : sessionStorage.getItem(key)
  if (text === null) return null
  if (parsed?.text !== text) parsed = { text, secret: JSON.parse(text) as KeptSecret }
  return parsed.secret
}

/** Keeps a secret for this tab and this wallet until the tab is closed, or forgets it with null. */
export function keepSecret(secret: KeptSecret | null): void {
  const key = keyOf()
  if (key === null) return
  if (secret === null) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(secret))
  for (const listener of listeners) listener()
}

/** The secret that this tab works with, or null. */
export function useKeptSecret(): KeptSecret | null {
  return useSyncExternalStore(listener => {
    listeners.add(listener)
    const unwatch = watchSession(listener)
    return () => {
      listeners.delete(listener)
      unwatch()
    }
  }, read)
}
