import { useState } from 'react'
import { safeSessionStorage } from '../state/safe-storage.ts'
import { useIsHydrated } from '../state/use-is-hydrated.ts'

const PREFIX = 'farebox.draft.'

/**
 * Keeps a text in this tab until it is sent, so that it survives a reload and the end of a session.
 *
 * @param key identifies the text
 */
export function useDraft(key: string): [text: string, write: (text: string) => void, drop: () => void] {
  const isHydrated = useIsHydrated()
  const [text, setText] = useState(() => (isHydrated ? safeSessionStorage.getItem(PREFIX + key) : null) ?? '')
  const write = (next: string) => {
    setText(next)
    safeSessionStorage.setItem(PREFIX + key, next)
  }
  const drop = () => {
    setText('')
    safeSessionStorage.removeItem(PREFIX + key)
  }
  return [text, write, drop]
}
