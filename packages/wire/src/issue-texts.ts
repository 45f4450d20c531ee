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
    return types === null ? undefined : `Must be of type ${[...new Set(types)].join(' or ')}.`
  }
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined
  const { origin } = issue
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
  const type = expected === 'record' ? 'object' : expected
  return Array.isArray(input) && type !== 'array'
    ? `Must be one value of type ${type}, not a list.`
    : `Must be of type ${type}.`
}

function valueText(values: readonly unknown[]): string {
  const shown = values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  return `Must be ${shown.length === 1 ? '' : 'one of '}${shown.join(', ')}.`
}

type UnionIssue = {
  readonly code: string
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
