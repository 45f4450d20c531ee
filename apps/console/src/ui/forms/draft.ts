import { useState } from 'react'

const PREFIX = 'farebox.draft.'

/**
 * Keeps a text in this tab until it is sent, so that it survives a reload and the end of a session.
 *
 * @param key identifies the text
 */
export function useDraft(key: string): [text: string, write: (text: string) => void, drop: () => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(PREFIX + key) ?? '')
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
