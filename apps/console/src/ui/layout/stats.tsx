import type { ReactNode } from 'react'

/** Figures side by side, wrapping when one is long. */
export function Stats({ children }: { children: ReactNode }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-4 [&>*]:min-w-max [&>*]:flex-1 [&>*]:basis-32">{children}</dl>
  )
}
