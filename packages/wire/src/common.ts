import { parseUsdc, type Usdc } from '@farebox/money'
import { z } from 'zod'

/** Maximum page size of any list. */
export const LIST_LIMIT_MAX = 100
/** Default page size of a list. */
const LIST_LIMIT_DEFAULT = 20

/** Largest amount, in USDC: twelve integer digits. */
const USDC_MAX = 999_999_999_999

/**
 * An amount as clients send it, decimal string or number, read as micro-USDC.
 * {@link parseUsdc} defines which values are rejected; the bounds here are for the published contract.
 */
export const usdcIn = z
  .union([
    z.string().meta({ pattern: '^(0|[1-9][0-9]{0,11})([.][0-9]{1,6})?$', maxLength: 19 }),
    z.number().meta({ minimum: 0, maximum: USDC_MAX }),
  ])
  .transform((input, context): Usdc => {
    try {
      return parseUsdc(input)
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: error instanceof Error ? error.message : 'Must be an amount.',
      })
      return z.NEVER
    }
  })

/**
 * Returns a schema of a whole number in a query string, clamped to its range. Rejects anything but digits.
 *
 * @param range minimum, maximum and default
 */
export function clamped(range: { min: number; max: number; absent: number }) {
  const { min, max, absent } = range
  return z
    .unknown()
    .optional()
    .transform((input, context): number => {
      if (input === undefined || input === '') return absent
      const isText = typeof input === 'string' || typeof input === 'number'
      if (!isText || !/^[+-]?\d+$/.test(String(input))) {
        context.addIssue({ code: 'custom', message: 'Must be a whole number.' })
        return z.NEVER
      }
      return Math.min(max, Math.max(min, Number(input)))
    })
    .meta({ type: 'integer', format: 'int32', minimum: min, maximum: max, default: absent })
}

/** `limit` of a list: default 20, clamped to 1..100. */
export const limitIn = clamped({ min: 1, max: LIST_LIMIT_MAX, absent: LIST_LIMIT_DEFAULT }).meta({
  description: 'Maximum entries per page. Values out of range are clamped.',
})

/**
 * Returns a schema that counts the members of an object, or the items of an array, before it checks any: an issue for
 * each of very many is costly.
 */
export function atMost<Schema extends z.ZodType>(max: number, of: Schema, message: string) {
  return z.preprocess((input, context) => {
    if (typeof input !== 'object' || input === null) return input
    if ((Array.isArray(input) ? input : Object.keys(input)).length <= max) return input
    context.addIssue({ code: 'custom', message, input })
    return z.NEVER
  }, of)
}

/** Members of a JSON object by name. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns true for an object that is not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Maximum nesting depth of JSON from clients. Recursive code can process this depth. */
export const JSON_DEPTH_MAX = 500

/** Returns true if a JSON value is nested deeper than `max` levels. Recurses no deeper, so any value is safe. */
export function isDeeperThan(value: unknown, max: number): boolean {
  if (max < 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(item => isDeeperThan(item, max - 1))
  const members = value as Readonly<Record<string, unknown>>
  return Object.keys(members).some(name => isDeeperThan(members[name], max - 1))
}

/**
 * Returns the path of the first number beyond the range of a number, as `.a.0`: JSON.parse makes it infinite, and JSON
 * has no text for that. Null if there is none. Not for values of any depth.
 */
export function infinitePathIn(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : ''
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) return infinitePathInItems(value)
  const members = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(members)) {
    const path = infinitePathIn(members[name])
    if (path !== null) return `.${name}${path}`
  }
  return null
}

/** By index: the keys of a large array take thirty times as long. */
function infinitePathInItems(items: readonly unknown[]): string | null {
  for (let at = 0; at < items.length; at += 1) {
    const path = infinitePathIn(items[at])
    if (path !== null) return `.${at}${path}`
  }
  return null
}

/** Opaque keyset cursor, as returned in `nextCursor` of a list. */
export const cursorIn = z
  .string()
  .min(1)
  .max(512)
  .meta({
    description: '`nextCursor` of the previous page; absent for the first page.',
    pattern: '^[A-Za-z0-9_-]+$',
  })
  .optional()

/** Query parameters of a list with keyset paging. */
export const pageIn = z.object({ limit: limitIn, cursor: cursorIn })

/** The order of a list that is also worked off as a queue. */
export const listOrder = z
  .enum(['newest', 'oldest'])
  .default('newest')
  .meta({ description: 'Which come first.' })
export type ListOrder = z.output<typeof listOrder>

/** An Ethereum address in any case. EIP-55 checksums are not verified. */
export const addressIn = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'Must be a 0x wallet address.')

/** Pattern for the published contract: no control characters except line breaks and tabs. */
const PLAIN_TEXT = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F]*$'

/** Returns a schema of text without control characters except line breaks and tabs. The database cannot store NUL. */
export function plainText(bounds: { min: number; max: number }) {
  return z
    .string()
    .min(bounds.min)
    .max(bounds.max)
    .refine(text => text.isWellFormed() && !hasControlCharacter(text), 'Must not contain control characters.')
    .meta({ pattern: PLAIN_TEXT })
}

/** Maximum length of a path parameter. Longer ones cannot be valid and get 404 NOT_FOUND. */
const PATH_PARAMETER_LENGTH_MAX = 200

/**
 * Returns a schema of an identifier in a path. Text that cannot be an identifier is read as '', so that the lookup
 * answers "not found" rather than "malformed".
 */
export function pathIdIn(prefix: string) {
  return z
    .string()
    .max(PATH_PARAMETER_LENGTH_MAX)
    .transform(text => (/^[\w-]{1,64}$/.test(text) ? text : ''))
    .meta({ pattern: '^[A-Za-z0-9_-]+$', example: exampleId(prefix) })
}

/** Returns an identifier for use in examples. */
export const exampleId = (prefix: string): string => `${prefix}_01kahd5w3xqv7m2c9z4n8r6t0e`

/** Maximum length of a token's name, in UTF-16 code units. */
export const LABEL_LENGTH_MAX = 100

/** Name of a token, chosen by its owner; not blank. */
export const labelIn = plainText({ min: 1, max: LABEL_LENGTH_MAX }).refine(
  text => text.trim() !== '',
  'Must not be blank.',
)

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 32 && code !== 9 && code !== 10 && code !== 13) return true
    if (code === 127) return true
  }
  return false
}

// Schemas of responses: plain JSON without transforms.

/** Output of a schema with all members read-only, for presenters. */
export type Output<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>

type ReadOnly<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
    : Value

/** Unix seconds at the end of the year 9999, the last that ISO 8601 writes with four digits. */
export const UNIX_SECONDS_MAX = 253_402_300_799

/** A count. */
export const countOut = z.int().min(0)

/** Text that only the limit of the whole request bounds; the contract states that one, in bytes. */
export const requestText = z.string().meta({ maxLength: 1_048_576, pattern: '^[\\s\\S]*$' })

/** Stored text from users, in any script; escape it before inserting it into HTML. */
export const textOut = (max: number) => z.string().max(max).meta({ pattern: '^[^\\u0000]*$' })

/** An amount of USDC: decimal, six places, such as `0.050000`. */
export const usdcOut = z.string().regex(/^-?\d{1,18}\.\d{6}$/)

/** A time: ISO 8601, UTC, with milliseconds. */
export const isoTime = z.iso.datetime({ precision: 3 })

/** An instant in whole Unix seconds. */
export const unixTime = z.int().min(0).max(UNIX_SECONDS_MAX)

/** A wallet address, EIP-55 checksummed. */
export const walletOut = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** An identifier: prefix and 26 sortable characters. */
export const idOut = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`))

/** 32 bytes in hex, such as the hash of a transaction. */
export const hashOut = z.string().regex(/^0x[0-9a-f]{64}$/)

/** `status` of a successful response. */
export const success = z.literal('success')

/** Response without further content. */
export const done = z.object({ status: success })

/** Cursor of the next page; null on the last. */
export const nextCursor = z
  .string()
  .max(512)
  .meta({ pattern: '^[A-Za-z0-9_-]+$' })
  .nullable()
  .meta({ description: '`cursor` of the next page; null on the last.' })
