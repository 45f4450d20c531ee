import { GatewayError } from '@farebox/wire/errors'
import type { Answer, Invoked } from '../invocation/invoke-service.ts'
import { keptNoLonger } from '../invocation/records/archived-answer.ts'
import { billOf, wasStreamed } from '../invocation/records/read-answer.ts'
import { type Failure, failureOf, failureOfAnswer } from './failure-rules.ts'

/**
 * Returns the error for a successful stored answer without a result: the first request with its key was streamed, or
 * its result has expired. Compatible APIs have no response for this case.
 *
 * @returns null if there is a result
 */
export function resultlessError(answer: Answer): GatewayError | null {
  if (answer.isExpired === true) return keptNoLonger(answer)
  if (!wasStreamed(answer.body)) return null
  const { invocationId, status, chargedUsdc } = billOf(answer.body)
  const message = 'The first request with this idempotency key was streamed, and its stream is not kept.'
  return new GatewayError('IDEMPOTENCY_CONFLICT', { invocationId, status, chargedUsdc }, { message })
}

/** Returns the failure of a call; null if it was delivered completely and paid. */
export function failureIn(invoked: Invoked): Failure | null {
  if ('error' in invoked) return failureOf(invoked.error)
  const { answer } = invoked
  if (answer.httpStatus >= 400) return failureOfAnswer(answer)
  if (answer.streamed === 'whole') return null
  // A stream that was cut is charged by its usage, but the caller has not received all of it.
  if (answer.streamed === 'cut') {
    const { invocationId, status, chargedUsdc } = billOf(answer.body)
    const context = { invocationId, status, chargedUsdc }
    return failureOf(new GatewayError('UPSTREAM_ERROR', { reason: 'stream_cut', ...context }))
  }
  const error = resultlessError(answer)
  return error === null ? null : failureOf(error)
}
