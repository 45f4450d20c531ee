import { useState } from 'react'
import { useIsHydrated } from '../state/use-is-hydrated.ts'

const PREFIX = 'farebox.draft.'

/**
 * Keeps a text in this tab until it is sent, so that it survives a reload and the end of a session.
 *
 * @param key identifies the text
 */
export function useDraft(key: string): [text: string, write: (text: string) => void, drop: () => void] {
  const isHydrated = useIsHydrated()
  const [text, setText] = useState(() => (isHydrated ? sessionStorage.getItem(PREFIX + key) : null) ?? '')
  const write = (next: string) => {
    setText(next)
    sessionStorage.setItem(PREFIX + key, next)
  }
  const drop = () => {
    setText('')
    sessionStorage.removeItem(PREFIX + key)
  }
  return [text, write, drop]
}
