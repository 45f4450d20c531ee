/** Digits of identifiers: Crockford base32 in lower case. */
export const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

const TIME_CHARS = 10
/**
 * Maximum difference between the time in the id of a call and its time in the database, in ms. A gateway whose clock is
 * more than five minutes off is not ready (watch-clocks.ts); calls wait seconds for their hold.
 */
const SLACK_MS = 600_000

/** Returns the first ten digits of identifiers of a millisecond. */
export function timeText(time: number): string {
  let text = ''
  for (let index = 0, rest = time; index < TIME_CHARS; index += 1, rest = Math.floor(rest / 32)) {
    text = BASE32.charAt(rest % 32) + text
  }
  return text
}

/** Returns an id below those of all calls from a time on. */
export function idBefore(time: Date): string {
  return `inv_${timeText(Math.max(0, time.getTime() - SLACK_MS))}`
}

/** Returns an id above those of all calls before a time. */
export function idAfter(time: Date): string {
  return `inv_${timeText(time.getTime() + SLACK_MS)}`
}
