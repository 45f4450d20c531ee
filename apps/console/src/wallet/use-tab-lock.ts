import { useEffect, useState } from 'react'

/**
 * Returns whether this tab holds a lock that only one tab can hold at a time. The next tab gets it when this one
 * closes.
 */
export function useTabLock(name: string, isWanted: boolean): boolean {
  const [isMine, setMine] = useState(false)
  useEffect(() => {
    if (!isWanted) return
    // Web Locks exist only in secure contexts. Without them every tab runs, as if it were the only one.
    if (navigator.locks === undefined) {
      setMine(true)
      return
    }
    const ending = new AbortController()
    const { promise, resolve: giveBack } = Promise.withResolvers<void>()
    navigator.locks
      .request(name, { signal: ending.signal }, () => {
        setMine(true)
        return promise
      })
      .catch(() => undefined)
    return () => {
      ending.abort()
      giveBack()
      setMine(false)
    }
  }, [name, isWanted])
  return isMine
}
