import type { LoadJob } from '../messages.ts'
import type { Answer, OutgoingCall } from './caller.ts'
import { CHAT_ID_PREFIX, chatRequest } from './chat.ts'

const QUESTION = 'Will the books balance?'

/** What of a job its calls are made of. */
type CallPlan = Pick<
  LoadJob,
  'path' | 'targets' | 'price' | 'script' | 'keyPrefix' | 'form' | 'headers' | 'knownKeys'
>

/** A call to one of the job's targets; no two numbers have the same idempotency key. */
export function callOf(job: CallPlan, targetIndex: number, number: number): OutgoingCall {
  const target = job.targets[targetIndex]
  if (target === undefined) throw new RangeError('A job needs at least one target.')
  const { path, headers } = job
  const body = JSON.stringify(bodyOf(job, target.serviceId, number))
  return { path, credential: target.credential, body, ...(headers !== undefined && { headers }) }
}

function bodyOf({ form, price, script, keyPrefix }: CallPlan, serviceId: string, number: number): object {
  if (form === 'bare') return { number, question: QUESTION }
  // What a gateway for models lets through of a request is what it knows: the number goes as the end user's name.
  if (form === 'chat') {
    return { model: 'bench', messages: [{ role: 'user', content: QUESTION }], user: String(number) }
  }
  const call = { serviceId, idempotencyKey: `${keyPrefix}-${number}` }
  return script === null
    ? { ...call, costUsdc: price, payload: { body: { number, question: QUESTION } } }
    : { ...call, payload: { body: chatRequest(script, number) } }
}

/**
 * A good answer is the provider's answer to this very call; a paid one says that it was charged as agreed, and one to
 * a known key that it is a replay.
 */
export function isGood(
  { isPaid, price, form, knownKeys }: Pick<LoadJob, 'isPaid' | 'price' | 'form' | 'knownKeys'>,
  number: number,
  answer: Answer,
): boolean {
  if (answer.status !== 200) return false
  const body = JSON.parse(answer.text) as {
    id?: string
    status?: string
    chargedUsdc?: string
    number?: number
    result?: { number?: number }
  }
  if (form === 'chat') return body.id === `${CHAT_ID_PREFIX}${number}`
  if (!isPaid) return body.number === number
  const isFresh = answer.isReplayed !== true
  return (
    body.status === 'SUCCEEDED' &&
    body.chargedUsdc === price &&
    body.result?.number === number &&
    isFresh === (knownKeys === undefined)
  )
}
