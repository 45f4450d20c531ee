import { z } from 'zod'

/**
 * Returns the message of an issue whose schema has none of its own; undefined leaves it to zod. One that begins with
 * "is" or "must" follows the name of its member.
 */
function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union' || issue.code === 'invalid_value') {
    if (issue.input === undefined) return 'is required.'
  }
  if (issue.code === 'invalid_type') return typeText(String(issue.expected), issue.input)
  if (issue.code === 'invalid_value') return valueText(issue.values)
  if (issue.code === 'invalid_format') return FORMATS[issue.format]
  if (issue.code === 'invalid_union') {
    const types = typesOf(issue)
    return types === null ? innerText(issue) : `Must be of type ${[...new Set(types)].join(' or ')}.`
  }
  return issue.code === 'too_small' || issue.code === 'too_big' ? boundText(issue) : undefined
}

function boundText(
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
): string | undefined {
  const { origin } = issue
  if (issue.inclusive === false)
    return `Must be ${issue.code === 'too_small' ? `more than ${issue.minimum}` : `less than ${issue.maximum}`}.`
  const [bound, word] = issue.code === 'too_small' ? [issue.minimum, 'at least'] : [issue.maximum, 'at most']
  if (origin === 'number' || origin === 'int' || origin === 'bigint') return `Must be ${word} ${bound}.`
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'item' : null
  if (unit === null) return undefined
  if (word === 'at least' && Number(bound) === 1) return 'must not be empty.'
  return `Must have ${word} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}.`
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'Must be a time with its zone, such as 2026-11-21T09:30:00Z.',
  date: 'Must be a date, such as 2026-11-21.',
}

/** In a query, a parameter that is sent twice is a list. */
function typeText(expected: string, input: unknown): string {
  if (expected === 'int' && typeof input === 'number') return 'Must be a whole number.'
  const type = expected === 'record' ? 'object' : expected
  return Array.isArray(input) && type !== 'array'
    ? `Must be one value of type ${type}, not a list.`
    : `Must be of type ${type}.`
}

function valueText(values: readonly unknown[]): string {
  const shown = values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  return `Must be ${shown.length === 1 ? '' : 'one of '}${shown.join(', ')}.`
}

/** Returns what is wrong with a part of a value, if the value has one of the types of a union. */
function innerText({ errors }: UnionIssue): string | undefined {
  const inner = Array.isArray(errors)
    ? (errors as UnionIssue[][]).flat().find(({ path = [] }) => path.length > 0)
    : undefined
  return inner?.message === undefined
    ? undefined
    : aboutMember(`item ${inner.path?.join('.')}`, inner.message)
}

type UnionIssue = {
  readonly code: string
  readonly message?: string | undefined
  readonly path?: readonly unknown[] | undefined
  readonly errors?: unknown
  readonly expected?: unknown
}

/** Returns the types that a union accepts; null if the value has one of them, and something else is wrong with it. */
function typesOf(issue: UnionIssue): readonly string[] | null {
  if (issue.code === 'invalid_type') return [String(issue.expected)]
  if (issue.code !== 'invalid_union' || !Array.isArray(issue.errors)) return null
  const branches = (issue.errors as UnionIssue[][]).map(([first]) =>
    first === undefined || (first.path?.length ?? 0) > 0 ? null : typesOf(first),
  )
  return branches.length === 0 || branches.includes(null) ? null : branches.flatMap(types => types ?? [])
}

z.config({ customError: textOf })

/** Returns a message with the member that it is about. */
export function aboutMember(path: string, message: string): string {
  if (path === '') return message
  return /^(?:is|must) /.test(message) ? `${path} ${message}` : `${path}: ${message}`
}
