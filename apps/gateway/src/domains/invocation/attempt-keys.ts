import { hash } from 'node:crypto'

/** Stands before the number of an attempt. No caller's key has it: they are ASCII. */
const ATTEMPT_MARK = '§'
const RETRY_PREFIX = /^retry\d[0-9a-f]{64}(?=inv_)/

/**
 * Returns the idempotency key of an attempt at a request.
 *
 * @param key  of the request
 * @param held number of attempts before it that were held
 */
export function attemptKey(key: string, held: number): string {
  return held === 0 ? key : `${key}${ATTEMPT_MARK}${held + 1}`
}

/** Returns the idempotency key of the request that an attempt was made for. */
export function requestKey(key: string): string {
  return key.split(ATTEMPT_MARK, 1)[0] ?? key
}

/**
 * Returns what the key of a request without an idempotency key begins with, if its client counts its retries; the id of
 * its first call follows. All characters are letters and digits, so that keys of one prefix are neighbours in an index of
 * any collation.
 */
export function retryKeyPrefix(
  requestHash: Buffer,
  { count, path }: { count: number; path: string },
): string {
  return `retry${count}${hash('sha256', `${path} ${requestHash.toString('hex')}`)}`
}

/** Returns the key as shown: that of the request, or the id of its first call if it had none. */
export function shownKey(key: string): string {
  return requestKey(key).replace(RETRY_PREFIX, '')
}

/** Returns true if a key was made for this call, and so can be that of no other. */
export function isOwnKey(key: string, invocationId: string): boolean {
  return key.endsWith(invocationId) && shownKey(key) === invocationId
}
