import { useEffect, useState } from 'react'

/** Whether it is this tab's turn at something that one tab at a time does. The next has it when this one goes. */
export function useTabLock(name: string, isWanted: boolean): boolean {
  const [isMine, setMine] = useState(false)
  useEffect(() => {
    if (!isWanted) return
    // Pages that are not from a safe origin have no locks; they have one tab, or trust that they have.
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
