import type { ComponentProps } from 'react'
import { Input } from './field.tsx'
import { useTyped } from './use-typed.ts'

/** While a year is typed, the browser reports years such as `0002`. */
const FIRST_YEAR = '2000'
/** Longer than between two parts of a time: the page may correct a whole one, such as a period that is too long. */
const PAUSE_MS = 800

const write = (time: string) => time
const read = (text: string) =>
  text === '' || text >= FIRST_YEAR ? { value: text } : { error: `Years start at ${FIRST_YEAR}.` }

/** An input of a day or time, empty without one. It reports a year once it is complete. */
export function TimeInput({
  value,
  onChange,
  ...rest
}: Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  type: 'date' | 'datetime-local'
  value: string
  onChange: (value: string) => void
}) {
  const { text, setText } = useTyped(value, { write, read, onChange, pauseMs: PAUSE_MS })
  return <Input {...rest} value={text} onChange={event => setText(event.target.value)} />
}
