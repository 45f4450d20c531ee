import { z } from 'zod'

/** Maximum length of an unknown name in an error message. */
const NAME_SHOWN_MAX = 64
/** Maximum number of unknown members in a message. */
const NAMED_MAX = 5
/** Maximum number of unknown members that are compared with known ones. */
const COMPARED_MAX = 100
/** Maximum share of differing characters for a known name to be suggested. */
const DIFFERENCE_MAX = 1 / 3

/**
 * Returns the schema of an object that rejects unknown members, for bodies that limit or direct money: a misspelt limit
 * must not be dropped. Nested objects must be strict themselves. The message names the unknown members and suggests the
 * nearest known name; the gateway returns it as INVALID_REQUEST.
 */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: issue =>
      issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys, knownOf(issue.inst)) : undefined,
  })
}

/** Returns the names of an object schema. Takes the schema that rejected, as it may be an extended copy. */
function knownOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function unknownMembers(names: readonly string[], known: readonly string[]): string {
  const hints = names.slice(0, NAMED_MAX).map(name => {
    const nearest = nearestName(name, known)
    const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`
    return `Unknown member ${JSON.stringify(name.slice(0, NAME_SHOWN_MAX))}.${hint}`
  })
  return hints.join(' ')
}

/**
 * Returns a message about members that misspell one of `matters`, or null. For bodies in which clients may send members
 * of their own. Compares the first {@link COMPARED_MAX} that are unknown.
 *
 * @param known   names of all members of the body
 * @param matters names that must not be dropped
 */
export function misspeltMembers(
  body: unknown,
  { known, matters }: { known: readonly string[]; matters: readonly string[] },
): string | null {
  if (typeof body !== 'object' || body === null) return null
  const unknown = Object.keys(body).filter(name => !known.includes(name))
  const misspelt = unknown.slice(0, COMPARED_MAX).filter(name => nearestName(name, matters) !== null)
  return misspelt.length === 0 ? null : unknownMembers(misspelt, matters)
}

/**
 * Returns a function that returns for which of `known` a lenient reader of JSON may take a name that is not spelt so, or
 * undefined: readers in Go and .NET ignore case, some also separators.
 */
export function misreadingsOf(known: readonly string[]): (name: string) => string | undefined {
  const spelt = new Set(known)
  const meanings = new Map(known.map(name => [folded(name), name]))
  return name => (spelt.has(name) ? undefined : meanings.get(folded(name)))
}

/** Folds case as Unicode does (the Kelvin sign is a k), and drops separators between letters. */
function folded(name: string): string {
  // Bodies have many members, and nearly all names are plain.
  if (/^[a-z]*$/.test(name)) return name
  const lower = name.toUpperCase().toLowerCase()
  return /[-_]/.test(lower) ? lower.replaceAll(/(?<=[a-z])[-_](?=[a-z])/g, '') : lower
}

/** Returns the known name most similar to an unknown one, ignoring case and separators; null if none is similar. */
export function nearestName(unknown: string, known: readonly string[]): string | null {
  const given = plain(unknown.slice(0, NAME_SHOWN_MAX))
  if (given === '') return null
  const rated = known.map(name => ({ name, share: differenceOf(given, plain(name)) }))
  const [best] = rated.sort((a, b) => a.share - b.share)
  return best !== undefined && best.share <= DIFFERENCE_MAX ? best.name : null
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Returns the share of the longer text's characters that differ; less if one text contains the other. */
function differenceOf(a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  const isPart = Math.min(a.length, b.length) > 3 && (a.includes(b) || b.includes(a))
  const distance = isPart ? longest - Math.min(a.length, b.length) : editDistance(a, b)
  return isPart ? (distance / longest) * DIFFERENCE_MAX : distance / longest
}

/** Returns the Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
