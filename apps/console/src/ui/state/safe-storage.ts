/** Texts by key in a storage of the browser. */
type SafeStorage = {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, text: string) => void
  readonly removeItem: (key: string) => void
  /** Returns false if a text that was set is only in memory, which ends with the page. */
  readonly isStored: (key: string) => boolean
}

/** Texts in this browser, for all tabs. They are kept in memory where the browser blocks its storage, or it is full. */
export const safeLocalStorage = createSafeStorage('localStorage')

/** Texts in this tab. They are kept in memory where the browser blocks its storage, or it is full. */
export const safeSessionStorage = createSafeStorage('sessionStorage')

function createSafeStorage(name: 'localStorage' | 'sessionStorage'): SafeStorage {
  const memory = new Map<string, string>()
  /** Returns null where the browser refuses: already the access to a blocked storage throws. */
  function attempt<Result>(act: (storage: Storage) => Result): Result | null {
    try {
      return act(globalThis[name])
    } catch {
      return null
    }
  }
  return {
    getItem: key => memory.get(key) ?? attempt(storage => storage.getItem(key)),
    setItem(key, text) {
      memory.delete(key)
      if (attempt(storage => storage.setItem(key, text)) !== null) return
      // An earlier text must not come back.
      attempt(storage => storage.removeItem(key))
      memory.set(key, text)
    },
    removeItem(key) {
      memory.delete(key)
      attempt(storage => storage.removeItem(key))
    },
    isStored: key => !memory.has(key),
  }
}
