import type { ReactNode } from 'react'

/** A segmented control without panels, such as for the span of a chart. */
export function Segments<Value extends string>(props: {
  options: readonly { readonly value: Value; readonly label: ReactNode }[]
  value: Value
  onChange: (value: Value) => void
  label: string
}) {
  return (
    <fieldset aria-label={props.label} className="inline-flex rounded-md border border-line-strong p-0.5">
      {props.options.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
          className="h-6.5 rounded px-2.5 text-sm whitespace-nowrap text-muted transition-colors hover:text-text aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-text"
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
