import { type ErrorCode, type ErrorDetail, GatewayError, readMember, readObject } from './errors.ts'
import type { ServerEvent } from './events.ts'

// Errors inside streams, after the response has started.

/**
 * Returns the error that ends a stream of `POST /agent/invoke`; null for other events, including errors of the
 * provider, after which the gateway's own follows.
 */
export function readStreamError({ event, data }: ServerEvent): GatewayError | null {
  if (event !== 'error') return null
  const { code, message, requestId, detail } = readObject(data) ?? {}
  const isOurs = typeof code === 'string' && typeof message === 'string' && typeof requestId === 'string'
  if (!isOurs || typeof detail !== 'object' || detail === null) return null
  return new GatewayError(code as ErrorCode, message, {
    status: 200,
    requestId,
    detail: detail as ErrorDetail,
  })
}

/**
 * Returns the error that ends a stream of a compatible API; null for other events. The event has the format of that
 * API; errors of the gateway add a `farebox` member (docs/compatible-apis.md).
 */
export function readCompatError({ data }: ServerEvent): GatewayError | null {
  if (!data.includes('"error"')) return null
  const body = readObject(data)
  const reported =
    readMember(body, 'error') ??
    readMember(readMember(body, 'response'), 'error') ??
    (body?.type === 'error' ? body : null)
  if (reported === null) return null
  const { code = 'UPSTREAM_ERROR', requestId = null, ...detail } = readMember(reported, 'farebox') ?? {}
  const message =
    typeof reported.message === 'string' ? reported.message : 'The provider did not answer well.'
  return new GatewayError(code as ErrorCode, message, {
    status: 200,
    requestId: requestId as string | null,
    detail,
  })
}
