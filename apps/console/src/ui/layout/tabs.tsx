import { clsx } from 'clsx'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export type Tab<Id extends string = string> = {
  readonly id: Id
  readonly label: ReactNode
  readonly content: ReactNode
}

/** Tabs with panels. Uncontrolled unless `value` is given. */
export function Tabs<Id extends string>(props: {
  tabs: readonly Tab<Id>[]
  value?: Id
  onChange?: (id: Id) => void
  label: string
  className?: string
}) {
  const first = props.tabs[0]?.id
  return (
    <Radix.Root
      {...(props.value === undefined ? { defaultValue: first } : { value: props.value })}
      onValueChange={id => props.onChange?.(id as Id)}
      className={props.className}
    >
      <Radix.List aria-label={props.label} className="flex gap-4 overflow-x-auto border-b">
        {props.tabs.map(({ id, label }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className={clsx(
              '-mb-px shrink-0 border-b-2 border-transparent py-2 text-sm font-medium text-muted transition-colors',
              'hover:text-text data-[state=active]:border-accent data-[state=active]:text-text',
            )}
          >
            {label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {props.tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="pt-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

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
