import { z } from 'zod'

/** Maximum number of targets of a service. */
export const TARGETS_MAX = 8
/** Maximum weight of a target. */
export const TARGET_WEIGHT_MAX = 1_000_000
/** Maximum time to a whole answer, or to the head of a stream, in ms. */
export const TIMEOUT_MS_MAX = 120_000
/** Default timeout of a call, in ms. */
export const TIMEOUT_MS_DEFAULT = 30_000
/** Maximum time that a stream may bring nothing, in ms. */
export const STREAM_IDLE_MS_MAX = 300_000
/** Default time that a stream may bring nothing, in ms. */
export const STREAM_IDLE_MS_DEFAULT = 60_000
/** Maximum duration of a stream, in ms. */
export const STREAM_MS_MAX = 3_600_000
/** Default maximum duration of a stream, in ms. */
export const STREAM_MS_DEFAULT = 600_000

/** Time limits of calls. */
export const timeoutFields = {
  timeoutMs: z.int().min(1).max(TIMEOUT_MS_MAX).meta({
    description: 'Time to a whole answer, and to the head of a stream.',
  }),
  streamIdleTimeoutMs: z.int().min(1).max(STREAM_IDLE_MS_MAX).meta({
    description: 'Time that a stream may bring nothing after its head.',
  }),
  streamMaxMs: z.int().min(1).max(STREAM_MS_MAX).meta({
    description: 'Time that a stream may take after its head.',
  }),
}

/** Maximum length of a service's name, in UTF-16 code units. */
export const NAME_LENGTH_MAX = 80
/** Maximum length of stored names; older ones may exceed the limit above and are returned unchanged. */
export const NAME_READ_LENGTH_MAX = 120
export const SUMMARY_LENGTH_MAX = 1_000
export const DESCRIPTION_LENGTH_MAX = 10_000
export const TAGS_MAX = 20
export const TAG_LENGTH_MAX = 40
export const URL_READ_LENGTH_MAX = 8_192
/** HTTP methods of calls. */
export const CALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

/** Returns a schema of an HTTP method in any case. */
export const methodIn = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z
    .string()
    .transform(text => text.toUpperCase())
    .pipe(z.enum(names))
    .meta({ enum: names })
