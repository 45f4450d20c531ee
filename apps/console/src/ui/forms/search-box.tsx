import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Input } from './field.tsx'

const TYPING_MS = 150
const LENGTH_MAX = 200

/** A debounced search field. */
export function SearchBox(props: {
  value: string
  onChange: (text: string) => void
  /** Accessible name, such as `Search services`. */
  label: string
  placeholder?: string
}) {
  const { value, onChange } = props
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <search className="relative min-w-56 flex-1 md:max-w-md">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-faint" />
      <Input
        type="search"
        aria-label={props.label}
        placeholder={props.placeholder ?? props.label}
        className="pl-9"
        maxLength={LENGTH_MAX}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </search>
  )
}
