import { useState } from 'react'

const PREFIX = 'farebox.draft.'

/**
 * A text that is being written, kept for this tab until it is sent: a reload, or a session that ends, loses nothing.
 *
 * @param key names what is written
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
