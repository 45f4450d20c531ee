import type { LoadJob } from '../messages.ts'
import type { Answer } from './caller.ts'
import { isGood } from './priced-call.ts'

const ERROR_TEXT_MAX = 300

/** What a call came to. */
export type Ending =
  | { readonly end: 'good' }
  /** Refused for now, with the time after which it may be tried again. */
  | { readonly end: 'shed'; readonly retryAfterMs: number }
  | { readonly end: 'wrong'; readonly why: string }

/** Judges an answer. A shed is a 503 that says after how many seconds to try again: one that does not is wrong. */
export function endingOf(job: Pick<LoadJob, 'isPaid' | 'price'>, number: number, answer: Answer): Ending {
  const { status, text, retryAfter = '' } = answer
  if (isGood(job, number, answer)) return { end: 'good' }
  if (status === 503 && /^[1-9]\d*$/.test(retryAfter)) {
    return { end: 'shed', retryAfterMs: Number(retryAfter) * 1_000 }
  }
  return { end: 'wrong', why: `${status} ${text.slice(0, ERROR_TEXT_MAX)}` }
}
