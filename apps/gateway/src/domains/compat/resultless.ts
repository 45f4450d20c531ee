import { GatewayError } from '@farebox/wire/errors'
import type { Answer } from '../invocation/invoke-service.ts'
import { keptNoLonger } from '../invocation/records/archived-answer.ts'
import { billOf, wasStreamed } from '../invocation/records/read-answer.ts'

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
