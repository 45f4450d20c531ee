import { clsx } from 'clsx'
import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { useState } from 'react'
import { useFieldControl } from './field.tsx'

export type Option<Value extends string> = { readonly value: Value; readonly label: string }

/**
 * A select. Inside a Field it takes the field's label; elsewhere it needs its own. Its list is mounted when the control
 * gets the focus: Radix renders also closed lists, so that letters choose from them, and a page has many.
 */
export function Select<Value extends string>(props: {
  value: Value
  onChange: (value: Value) => void
  options: readonly Option<Value>[]
  label?: string
  disabled?: boolean
  size?: 'sm' | 'md'
  className?: string
}) {
  const field = useFieldControl()
  const [hasList, setHasList] = useState(false)
  const mountList = () => setHasList(true)
  return (
    <Radix.Root
      value={props.value}
      onValueChange={value => props.onChange(value as Value)}
      onOpenChange={mountList}
      {...(props.disabled !== undefined && { disabled: props.disabled })}
    >
      <Radix.Trigger
        {...field}
        aria-label={props.label}
        onFocus={mountList}
        className={clsx(
          'inline-flex items-center justify-between gap-2 rounded-md border border-line-strong bg-raised',
          'transition-colors hover:bg-hover disabled:opacity-60',
          props.size === 'sm' ? 'h-8 px-2.5 text-sm' : 'h-9 px-3 text-base',
          props.className,
        )}
      >
        {/* Radix would take the label from the open list, which a prerendered page has not. */}
        <Radix.Value>{props.options.find(({ value }) => value === props.value)?.label}</Radix.Value>
        <Radix.Icon>
          <ChevronDown aria-hidden className="size-4 text-faint" />
        </Radix.Icon>
      </Radix.Trigger>
      {hasList && <List options={props.options} />}
    </Radix.Root>
  )
}

function List<Value extends string>({ options }: { options: readonly Option<Value>[] }) {
  return (
    <Radix.Portal>
      <Radix.Content
        position="popper"
        sideOffset={4}
        className="z-50 max-h-80 min-w-(--radix-select-trigger-width) animate-appear overflow-hidden rounded-lg border bg-raised p-1 shadow-raised"
      >
        <Radix.Viewport>
          {options.map(({ value, label }) => (
            <Radix.Item
              key={value}
              value={value}
              className="flex h-8 cursor-default items-center justify-between gap-4 rounded px-2 text-sm outline-none data-highlighted:bg-hover"
            >
              <Radix.ItemText>{label}</Radix.ItemText>
              <Radix.ItemIndicator>
                <Check aria-hidden className="size-4 text-accent" />
              </Radix.ItemIndicator>
            </Radix.Item>
          ))}
        </Radix.Viewport>
      </Radix.Content>
    </Radix.Portal>
  )
}
