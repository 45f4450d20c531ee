import type { FastifyReply, FastifyRequest } from 'fastify'
import { retryHeaders } from '../../http/errors.ts'
import type { TellFailure } from './compat-api.ts'
import { type Failure, failureHeaders } from './failure-rules.ts'

/** Responds with a failure, in the format of the requested API. */
export function sendFailure(
  reply: FastifyReply,
  request: FastifyRequest,
  how: { failure: Failure; tellFailure: TellFailure },
): FastifyReply {
  const { failure, tellFailure } = how
  const { headers } = request
  const hasKey = headers['x-idempotency-key'] !== undefined || headers['idempotency-key'] !== undefined
  const { status, body } = tellFailure(failure, request.id)
  const told = { ...retryHeaders(failure.context), ...failureHeaders(failure, hasKey) }
  return reply
    .code(status)
    .headers({ ...told, 'request-id': request.id })
    .header('content-type', 'application/json; charset=utf-8')
    .send(body)
}
