import type { ReactNode } from 'react'

/** Outcome of a step. `open`: it could not be checked, which proves nothing. */
export type Outcome = 'holds' | 'fails' | 'open'
export type Check = {
  readonly title: ReactNode
  readonly outcome: Outcome
  /** The compared values. */
  readonly detail?: ReactNode
}

/** Combines the outcomes of steps. */
export function outcomeOf(checks: readonly Check[]): Outcome {
  if (checks.some(({ outcome }) => outcome === 'fails')) return 'fails'
  return checks.some(({ outcome }) => outcome === 'open') ? 'open' : 'holds'
}

export const holdsIf = (isTrue: boolean): Outcome => (isTrue ? 'holds' : 'fails')
