import { z } from 'zod'
import { infinitePathIn, isDeeperThan } from '../common.ts'

/**
 * Maximum length of a free-form member of a manifest (`request`, `response`, `governance`, ...) as JSON, in characters.
 */
export const FREE_FORM_LENGTH_MAX = 65_536
/** Maximum nesting depth of a free-form member. */
const FREE_FORM_DEPTH_MAX = 64
/** Matches escapes in JSON text that the database cannot store: NUL or half of a surrogate pair. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

/** JSON of any form in a manifest. */
export const freeForm = z.unknown().superRefine((value, context) => {
  const message = faultOfFreeForm(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})
/** A JSON object of any members in a manifest. */
export const freeFormObject = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const message = faultOfFreeForm(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/**
 * Returns why a free-form value is rejected, or null. Checks the depth first, as serializing JSON of any depth is
 * unsafe.
 */
function faultOfFreeForm(value: unknown): string | null {
  if (isDeeperThan(value, FREE_FORM_DEPTH_MAX)) return `Must be nested at most ${FREE_FORM_DEPTH_MAX} deep.`
  if (infinitePathIn(value) !== null) return 'Must not contain numbers beyond the range of JSON.'
  const text = JSON.stringify(value) ?? ''
  if (text.length > FREE_FORM_LENGTH_MAX) return `Must be at most ${FREE_FORM_LENGTH_MAX} characters of JSON.`
  return UNSTORABLE.test(text) ? 'Must not contain characters that cannot be stored.' : null
}
