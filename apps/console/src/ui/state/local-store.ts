import { useSyncExternalStore } from 'react'
import { safeLocalStorage } from './safe-storage.ts'

/** A value per wallet in local storage, shared by all tabs. */
export type LocalStore<Value> = {
  /** Returns the value of a wallet, or null. The same object as long as nothing has changed. */
  readonly read: (address: string) => Value | null
  /** Stores a value; null removes it. */
  readonly write: (address: string, value: Value | null) => void
  /** Returns the value of a wallet and re-renders when it changes; null in prerendered pages. */
  readonly use: (address: string) => Value | null
}

/**
 * Creates a store of one value per wallet in local storage.
 *
 * @param name    part of the storage key
 * @param isValue checks a parsed value, which an older version may have written
 */
export function createLocalStore<Value>(
  name: string,
  isValue: (found: unknown) => boolean,
): LocalStore<Value> {
  const prefix = `farebox.${name}.`
  const keyOf = (address: string) => prefix + address.toLowerCase()
  const listeners = new Set<() => void>()
  const parsed = new Map<string, { text: string; value: Value }>()

  const notify = () => {
    for (const listener of listeners) listener()
  }
  function noteOtherTab({ key }: StorageEvent): void {
    if (key === null || key.startsWith(prefix)) notify()
  }
  function watch(listener: () => void): () => void {
    window.addEventListener('storage', noteOtherTab) // the same function is added once
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  function read(address: string): Value | null {
    const key = keyOf(address)
    const text = safeLocalStorage.getItem(key)
    if (text === null) return null
    const known = parsed.get(key)
    if (known?.text === text) return known.value
    try {
      const value: unknown = JSON.parse(text)
      if (!isValue(value)) return null
      parsed.set(key, { text, value: value as Value })
      return value as Value
    } catch {
      return null
    }
  }
  return {
    read,
    write(address, value) {
      if (value === null) safeLocalStorage.removeItem(keyOf(address))
      else safeLocalStorage.setItem(keyOf(address), JSON.stringify(value))
      notify()
    },
    use: address =>
      useSyncExternalStore(
        watch,
        () => read(address),
        () => null,
      ),
  }
}
