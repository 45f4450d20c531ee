/** Maximum accepted pause, in seconds. */
export const ASKED_PAUSE_SECONDS_MAX = 86_400

const SECONDS = /^\d{1,10}$/
/** IMF-fixdate, the only date format that may be sent (RFC 9110, 5.6.7). */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Parses the header `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @param text as sent
 * @param now  unix milliseconds
 * @returns whole seconds from now, at most {@link ASKED_PAUSE_SECONDS_MAX}; null if it is unreadable
 */
export function readRetryAfter(text: string, now: number): number | null {
  const asked = text.trim()
  const seconds = SECONDS.test(asked)
    ? Number(asked)
    : DATE.test(asked)
      ? Math.ceil((Date.parse(asked) - now) / 1_000)
      : Number.NaN
  return Number.isNaN(seconds) ? null : Math.min(ASKED_PAUSE_SECONDS_MAX, Math.max(0, seconds))
}
