import type { ReactNode } from 'react'

/** What came of a step of a check. `open`: it could not be checked, which is no word against it. */
export type Outcome = 'holds' | 'fails' | 'open'
export type Check = {
  readonly title: ReactNode
  readonly outcome: Outcome
  /** What was compared with what. */
  readonly detail?: ReactNode
}

/** What all of them together say. */
export function outcomeOf(checks: readonly Check[]): Outcome {
  if (checks.some(({ outcome }) => outcome === 'fails')) return 'fails'
  return checks.some(({ outcome }) => outcome === 'open') ? 'open' : 'holds'
}

export const holdsIf = (isTrue: boolean): Outcome => (isTrue ? 'holds' : 'fails')
