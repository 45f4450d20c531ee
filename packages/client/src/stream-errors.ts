import type { ErrorCode } from '@farebox/wire/errors'
import { type ErrorDetail, GatewayError, readMember, readObject } from './errors.ts'
import type { ServerEvent } from './events.ts'

// How streams tell of an error once they have begun.

/**
 * The error that a stream of `POST /agent/invoke` ends with.
 *
 * @returns null when the event is the provider's: the gateway's own word follows
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
 * The error that a stream of a door ends with: an event of the API that the door speaks, with our own account beside it
 * unless it is the provider's own word (docs/doors.md).
 *
 * @returns null when the event tells of none
 */
export function readDoorError({ data }: ServerEvent): GatewayError | null {
  if (!data.includes('"error"')) return null
  const body = readObject(data)
  const told =
    readMember(body, 'error') ??
    readMember(readMember(body, 'response'), 'error') ??
    (body?.type === 'error' ? body : null)
  if (told === null) return null
  const { code = 'UPSTREAM_ERROR', requestId = null, ...detail } = readMember(told, 'farebox') ?? {}
  const message = typeof told.message === 'string' ? told.message : 'The provider did not answer well.'
  return new GatewayError(code as ErrorCode, message, {
    status: 200,
    requestId: requestId as string | null,
    detail,
  })
}
