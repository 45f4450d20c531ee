import type { Answer, OutgoingCall } from '../../kit/caller.ts'
import type { Ending } from './closed-loop.ts'
import type { LoadJob } from './messages.ts'

const QUESTION = 'Will the books balance?'
const ERROR_TEXT_MAX = 300

/** The members of a job that its calls are made of. */
type CallPlan = Pick<LoadJob, 'path' | 'targets' | 'price' | 'keyPrefix'>

/** Returns a call to one of the job's targets; no two numbers have the same idempotency key. */
export function callOf(job: CallPlan, targetIndex: number, number: number): OutgoingCall {
  const target = job.targets[targetIndex]
  if (target === undefined) throw new RangeError('A job needs at least one target.')
  const { path, price, keyPrefix } = job
  const { serviceId, credential } = target
  const idempotencyKey = `${keyPrefix}-${number}`
  const call = {
    serviceId,
    idempotencyKey,
    costUsdc: price,
    payload: { body: { number, question: QUESTION } },
  }
  return { path, credential, body: JSON.stringify(call) }
}

type Judged = Pick<LoadJob, 'isPaid' | 'price' | 'knownKeys'>

/** Judges an answer. A shed is a 503 that says after how many seconds to try again; one that does not is wrong. */
export function endingOf(job: Judged, number: number, answer: Answer): Ending {
  const { status, text, retryAfter = '' } = answer
  if (isGood(job, number, answer)) return { end: 'good' }
  if (status === 503 && /^[1-9]\d*$/.test(retryAfter)) {
    return { end: 'shed', retryAfterMs: Number(retryAfter) * 1_000 }
  }
  return { end: 'wrong', why: `${status} ${text.slice(0, ERROR_TEXT_MAX)}` }
}

/**
 * A good answer is the provider's answer to this very call; a paid one was charged as agreed, and one to a known key is
 * a replay.
 */
function isGood({ isPaid, price, knownKeys }: Judged, number: number, answer: Answer): boolean {
  if (answer.status !== 200) return false
  const body = JSON.parse(answer.text) as {
    status?: string
    chargedUsdc?: string
    number?: number
    result?: { number?: number }
  }
  if (!isPaid) return body.number === number
  const isFresh = answer.isReplayed !== true
  return (
    body.status === 'SUCCEEDED' &&
    body.chargedUsdc === price &&
    body.result?.number === number &&
    isFresh === (knownKeys === undefined)
  )
}
