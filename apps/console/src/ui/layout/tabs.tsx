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
      // Focus alone opens no tab: it returns to one that was not opened because changes are unsaved.
      activationMode="manual"
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
