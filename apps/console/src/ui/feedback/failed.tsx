import { clsx } from 'clsx'
import { describeError, Notice } from './states.tsx'

/** Announces the error of an action; renders nothing without one. */
export function Failed({ error, className }: { error: unknown; className?: string }) {
  if (error === null || error === undefined) return null
  return (
    <div role="alert" className={clsx(className)}>
      <Notice tone="bad">{describeError(error)}</Notice>
    </div>
  )
}
