import { clsx } from 'clsx'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export type MenuItem =
  | {
      readonly label: ReactNode
      readonly icon?: ReactNode
      readonly onSelect: () => void
      readonly isDanger?: boolean
      readonly disabled?: boolean
    }
  | 'separator'

/** A dropdown menu; `trigger` must be a button. */
export function Menu(props: {
  trigger: ReactNode
  items: readonly MenuItem[]
  head?: ReactNode
  label?: string
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={6}
          aria-label={props.label}
          className="z-50 min-w-52 animate-appear rounded-lg border bg-raised p-1 shadow-raised"
        >
          {props.head !== undefined && <div className="border-b px-2 pt-1 pb-2 text-sm">{props.head}</div>}
          {props.items.map((item, index) =>
            item === 'separator' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: separators have no other name, and do not move
              <Radix.Separator key={index} className="my-1 h-px bg-line" />
            ) : (
              <Radix.Item
                // biome-ignore lint/suspicious/noArrayIndexKey: the items of a menu do not move
                key={index}
                onSelect={item.onSelect}
                disabled={item.disabled ?? false}
                className={clsx(
                  'flex h-8 cursor-default items-center gap-2 rounded px-2 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50 [&>svg]:size-4 [&>svg]:text-faint',
                  item.isDanger === true && 'text-danger',
                )}
              >
                {item.icon}
                {item.label}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
