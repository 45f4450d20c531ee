import { type ErrorCode, type ErrorContext, GatewayError, ISSUES_MAX } from '@farebox/wire/errors'
import { aboutMember } from '@farebox/wire/issue-texts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ZodError } from 'zod'
import type { Log } from '../ports.ts'

const fastifyCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}

/**
 * Converts anything thrown to an error of the wire. Unexpected errors become INTERNAL and keep their cause for the log
 * only.
 *
 * @param request request that failed; its route determines the code of an invalid body, and the body limit
 */
export function asGatewayError(error: unknown, request?: FastifyRequest): GatewayError {
  if (error instanceof GatewayError) return error
  const invalidBodyCode = request?.routeOptions.config.contract?.invalidBodyCode ?? 'INVALID_PAYLOAD'
  if (hasZodFastifySchemaValidationErrors(error)) {
    const isUnknown = error.validation.some(isUnknownMember)
    const isBody = error.validationContext === 'body' && !isUnknown
    // A body with an unknown member is malformed, whatever else is wrong with it.
    const reported = isUnknown ? error.validation.filter(isUnknownMember) : error.validation
    const issues = reported.slice(0, ISSUES_MAX).map(issue => ({
      path: issue.instancePath.replace(/^\//, '').replaceAll('/', '.'),
      message: issue.message ?? 'is not valid',
    }))
    const first = issues[0]
    return new GatewayError(
      isBody ? invalidBodyCode : 'INVALID_REQUEST',
      { issues },
      first === undefined ? {} : { message: aboutMember(first.path, first.message) },
    )
  }
  const fastifyError = error as Partial<FastifyError>
  const known = fastifyCodes[fastifyError.code ?? '']
  if (known === 'PAYLOAD_TOO_LARGE') return tooLarge(request?.routeOptions.bodyLimit, error)
  if (known !== undefined) return new GatewayError(known, {}, { cause: error })
  if (
    fastifyError.statusCode !== undefined &&
    fastifyError.statusCode >= 400 &&
    fastifyError.statusCode < 500
  ) {
    return new GatewayError('INVALID_REQUEST', {}, { cause: error })
  }
  return new GatewayError('INTERNAL', {}, { cause: error })
}

/** Returns true if an issue is about a member that a strict body does not know. */
const isUnknownMember = ({ keyword }: { keyword: string }): boolean => keyword === 'unrecognized_keys'

/** Returns the error for a body of more than `limitBytes`. */
function tooLarge(limitBytes: number | undefined, cause: unknown): GatewayError {
  if (limitBytes === undefined) return new GatewayError('PAYLOAD_TOO_LARGE', {}, { cause })
  const message = `The request body is too large. Send at most ${limitBytes} bytes.`
  return new GatewayError('PAYLOAD_TOO_LARGE', { limitBytes }, { message, cause })
}

/**
 * Returns what is wrong with a body, for handlers that read it themselves: returned, not thrown, so that the rate can
 * count the request first.
 */
export function invalidPayload({ issues: found }: ZodError): GatewayError {
  const issues = found.slice(0, ISSUES_MAX).map(({ path, message }) => ({ path: path.join('.'), message }))
  const [first] = issues
  const message = first === undefined ? 'The body is not valid.' : aboutMember(first.path, first.message)
  // A malformed key has one code, in a header or in a body.
  const code = first?.path === 'idempotencyKey' ? 'INVALID_REQUEST' : 'INVALID_PAYLOAD'
  return new GatewayError(code, { issues }, { message })
}

/** Fastify's error handler: sends every failure in the wire's error format, and logs unexpected ones. */
export function errorHandler(log: Log) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = asGatewayError(thrown, request)
    logFailure(log, error, request.id)
    return sendError(reply, error, request.id)
  }
}

/** Logs a failed request if the fault is ours. */
export function logFailure(log: Log, error: GatewayError, requestId: string): void {
  if (error.status < 500 || error.code === 'LOOP_DETECTED') return
  // As it is, so that the log knows an outage and gathers its lines.
  const err = error.code === 'UNAVAILABLE' ? error : (error.cause ?? error)
  const fields = { requestId, code: error.code, err }
  if (error.code === 'INTERNAL') log.error(fields, 'request failed')
  else log.warn(fields, 'request failed')
}

/** Sets `Retry-After`, in whole seconds (RFC 9110, 10.2.3), if the error has a time. */
export function retryHeaders({ retryAfterSeconds }: ErrorContext): Record<string, string> {
  if (typeof retryAfterSeconds !== 'number') return {}
  return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }
}

/** Sends an error in the wire's format. */
export function sendError(reply: FastifyReply, error: GatewayError, requestId: string): FastifyReply {
  reply.request.errorCode = error.code
  return reply
    .code(error.status)
    .headers(retryHeaders(error.context))
    .header('content-type', 'application/json; charset=utf-8')
    .send(error.toBody(requestId))
}
