import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** To be put around the app once. */
export const TooltipProvider = Radix.Provider

/** Says more of something on hover and focus. What is inside must be able to take the focus. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-60 max-w-72 animate-appear rounded-md bg-text px-2 py-1 text-xs text-page shadow-raised"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
