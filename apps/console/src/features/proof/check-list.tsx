import { Check as CheckIcon, CircleHelp, X } from 'lucide-react'
import { Skeleton } from '../../ui/feedback/states.tsx'
import type { Check, Outcome } from './check.ts'

const marks: Readonly<Record<Outcome, { label: string; icon: typeof X; look: string }>> = {
  holds: { label: 'Holds', icon: CheckIcon, look: 'bg-accent-soft text-accent' },
  fails: { label: 'Fails', icon: X, look: 'bg-danger-soft text-danger' },
  open: { label: 'Could not be checked', icon: CircleHelp, look: 'bg-warn-soft text-warn' },
}

/** The steps of a check with their outcomes; shows `length` placeholders while it runs. */
export function CheckList(props: { label: string; checks: readonly Check[] | undefined; length: number }) {
  const { label, checks, length } = props
  if (checks === undefined)
    return (
      <div role="status" aria-label={`${label}: in progress`} className="flex flex-col gap-4">
        {Array.from({ length }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
          <Skeleton key={index} className="h-11" />
        ))}
      </div>
    )
  return (
    <ol aria-label={label} className="flex flex-col gap-4">
      {checks.map(({ title, outcome, detail }, index) => {
        const { label: word, icon: Icon, look } = marks[outcome]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps do not move
          <li key={index} className="flex min-h-11 gap-3">
            <span
              role="img"
              aria-label={word}
              className={`mt-px flex size-5.5 shrink-0 items-center justify-center rounded-full ${look}`}
            >
              <Icon aria-hidden className="size-3.5" />
            </span>
            <div className="min-w-0">
              <p className="font-medium">{title}</p>
              {detail !== undefined && (
                <div className={`text-sm ${outcome === 'fails' ? 'text-danger' : 'text-muted'}`}>
                  {detail}
                </div>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
