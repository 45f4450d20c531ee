import { hash } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import { configure } from 'safe-stable-stringify'

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

const canonicalText = configure({
  deterministic: true,
  circularValue: Error,
})

/**
 * Returns the idempotency key of a request, from `X-Idempotency-Key` or its alias `Idempotency-Key`.
 *
 * @returns null if neither header is present
 * @throws GatewayError INVALID_REQUEST if one is present but is not 1 to 255 printable characters
 */
export function idempotencyKeyOf(headers: Readonly<Record<string, unknown>>): string | null {
  const key = headers['x-idempotency-key'] ?? headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidKey()
  return key
}

/**
 * Returns the idempotency key of a request that must have one.
 *
 * @throws GatewayError MISSING_IDEMPOTENCY_KEY; INVALID_REQUEST as {@link idempotencyKeyOf}
 */
export function requireIdempotencyKey(headers: Readonly<Record<string, unknown>>): string {
  const key = idempotencyKeyOf(headers)
  if (key === null) throw new GatewayError('MISSING_IDEMPOTENCY_KEY')
  return key
}

function invalidKey(): GatewayError {
  const message =
    'X-Idempotency-Key: Must be 1 to 255 printable ASCII characters, without blanks at its ends.'
  return new GatewayError('INVALID_REQUEST', { header: 'X-Idempotency-Key' }, { message })
}

/** Returns the SHA-256 of a value's canonical JSON: independent of the order of members. */
export function requestHash(value: unknown): Buffer {
  return hash('sha256', canonicalText(value) ?? '', 'buffer')
}
