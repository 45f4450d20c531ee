import { useEffect, useRef, useState } from 'react'

const TYPING_MS = 150

/** How an input shows a value, and what a typed text means. */
type Typing<Value> = {
  readonly write: (value: Value) => string
  /** Returns the value or an error message. */
  readonly read: (text: string) => { readonly value: Value } | { readonly error: string }
  /** Called once typing pauses, with valid values only. */
  readonly onChange: (value: Value) => void
  /** The length of a pause, in ms; 150 by default. */
  readonly pauseMs?: number
}

/** Returns the text of an input with a debounced value. A value that is set elsewhere replaces the text. */
export function useTyped<Value>(value: Value, { write, read, onChange, pauseMs = TYPING_MS }: Typing<Value>) {
  const [text, setText] = useState(() => write(value))
  const sent = useRef(value)
  const typed = read(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a value that was not typed here replaces the text
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(write(value))
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if ('error' in typed || typed.value === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed.value
      onChange(typed.value)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText, error: 'error' in typed ? typed.error : null }
}
