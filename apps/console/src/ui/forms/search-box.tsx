import { Search } from 'lucide-react'
import { Input } from './field.tsx'
import { useTyped } from './use-typed.ts'

const LENGTH_MAX = 200
const write = (text: string) => text
const read = (text: string) => ({ value: text })

/** A debounced search field. */
export function SearchBox(props: {
  value: string
  onChange: (text: string) => void
  /** Accessible name, such as `Search services`. */
  label: string
  placeholder?: string
}) {
  const { text, setText } = useTyped(props.value, { write, read, onChange: props.onChange })
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
