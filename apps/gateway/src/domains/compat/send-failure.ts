import type { FastifyReply, FastifyRequest } from 'fastify'
import { retryHeaders } from '../../http/errors.ts'
import type { FormatFailure } from './compat-api.ts'
import { type Failure, failureHeaders } from './failure-rules.ts'

/** Responds with a failure, in the format of the requested API. */
export function sendFailure(
  reply: FastifyReply,
  request: FastifyRequest,
  how: { failure: Failure; formatFailure: FormatFailure },
): FastifyReply {
  const { failure, formatFailure } = how
  const { headers } = request
  const hasKey = headers['x-idempotency-key'] !== undefined || headers['idempotency-key'] !== undefined
  const { status, body } = formatFailure(failure, request.id)
  const reported = { ...retryHeaders(failure.context), ...failureHeaders(failure, hasKey) }
  return reply
    .code(status)
    .headers({ ...reported, 'request-id': request.id })
    .header('content-type', 'application/json; charset=utf-8')
    .send(body)
}
