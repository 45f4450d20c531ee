import { clsx } from 'clsx'
import { describeError, Notice } from './states.tsx'

/** What was asked for did not work, and why: read out as it comes. Nothing without an error. */
export function Failed({ error, className }: { error: unknown; className?: string }) {
  if (error === null || error === undefined) return null
  return (
    <div role="alert" className={clsx(className)}>
      <Notice tone="bad">{describeError(error)}</Notice>
    </div>
  )
}
