import type { Queryable } from '../ports.ts'

/** Maximum wait for an answer, in ms. */
const ANSWER_MS_MAX = 4_000

/**
 * Returns a connection for the reads by key that a call needs before its hold. They take milliseconds: when the database
 * is silent, the call is refused with Retry-After as soon as if its hold had been sent.
 */
export function byKey(db: Queryable): Queryable {
  return {
    query: ({ text, values, name }) =>
      db.query({ text, values, answerMs: ANSWER_MS_MAX, ...(name !== undefined && { name }) }),
  }
}
