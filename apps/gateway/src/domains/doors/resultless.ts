import { GatewayError } from '@farebox/wire/errors'
import type { Answer } from '../invocation/invoke-service.ts'
import { keptNoLonger } from '../invocation/records/archived-answer.ts'
import { billOf, wasStreamed } from '../invocation/records/read-answer.ts'

/**
 * What is told instead of a good answer that has no result: the first request with its key was streamed, or was so long
 * ago that its result is kept no longer. An API that knows no such answer must not be told one.
 *
 * @returns null when there is a result
 */
export function resultlessError(answer: Answer): GatewayError | null {
  if (answer.isExpired === true) return keptNoLonger(answer)
  if (!wasStreamed(answer.body)) return null
  const { invocationId, status, chargedUsdc } = billOf(answer.body)
  const message = 'The first request with this idempotency key was streamed, and its stream is not kept.'
  return new GatewayError('IDEMPOTENCY_CONFLICT', { invocationId, status, chargedUsdc }, { message })
}
