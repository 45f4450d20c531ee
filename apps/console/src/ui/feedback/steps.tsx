import { clsx } from 'clsx'
import { Check, LoaderCircle, X } from 'lucide-react'
import type { ReactNode } from 'react'

export type Step = {
  readonly title: ReactNode
  readonly state: 'waiting' | 'active' | 'done' | 'failed'
  /** Progress or error of the step. */
  readonly detail?: ReactNode
}

/** A list of steps with their states. The current one is announced to screen readers. */
export function Steps(props: {
  steps: readonly Step[]
  label: string
  /** The active step waits for the reader, so no spinner is shown. */
  isCalm?: boolean
}) {
  const { steps, label, isCalm = false } = props
  return (
    <ol aria-label={label} className="flex flex-col">
      {steps.map(({ title, state, detail }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: steps do not move
          key={index}
          aria-current={state === 'active' ? 'step' : undefined}
          className="relative flex gap-3 pb-5 last:pb-0"
        >
          {index < steps.length - 1 && (
            <span
              aria-hidden
              className={clsx(
                'absolute top-6 bottom-0 left-[0.6875rem] w-px',
                state === 'done' ? 'bg-accent' : 'bg-line',
              )}
            />
          )}
          <span
            className={clsx(
              'flex size-[1.4375rem] shrink-0 items-center justify-center rounded-full border text-xs tabular',
              state === 'done' && 'border-accent bg-accent text-on-accent',
              state === 'active' && 'border-accent text-accent',
              state === 'failed' && 'border-danger bg-danger-soft text-danger',
              state === 'waiting' && 'border-line-strong text-faint',
            )}
          >
            {state === 'done' && <Check aria-label="Done" className="size-3.5" />}
            {state === 'active' && !isCalm && (
              <LoaderCircle aria-label="In progress" className="size-3.5 animate-spin" />
            )}
            {state === 'failed' && <X aria-label="Failed" className="size-3.5" />}
            {(state === 'waiting' || (state === 'active' && isCalm)) && index + 1}
          </span>
          <div className="min-w-0 flex-1">
            <p className={clsx('font-medium', state === 'waiting' && 'text-faint')}>{title}</p>
            {detail !== undefined && <div className="mt-0.5 text-sm text-muted">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** A bar of `value` from 0 to 1: the used part of a cap or, with `isProgress`, progress. */
export function Meter(props: { value: number; label: string; isProgress?: boolean }) {
  const { value, label, isProgress = false } = props
  const share = Math.min(1, Math.max(0, value))
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> each in its own way
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className="h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div
        className={clsx(
          'h-full rounded-full',
          isProgress || share < 0.7 ? 'bg-accent' : share < 0.9 ? 'bg-warn' : 'bg-danger',
        )}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
