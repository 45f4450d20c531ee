import { z } from 'zod'

/** Longest part of an unknown name that an error repeats. */
const NAME_SHOWN_MAX = 64
/** Unknown members that one message names. */
const NAMED_MAX = 5
/** A known name is suggested when at most this part of its characters differs. */
const DIFFERENCE_MAX = 1 / 3

/**
 * Returns the schema of an object that refuses members it does not know, for bodies that limit or direct money: a limit
 * that was misspelt must not be dropped. Nested objects have to be strict themselves. The refusal names the members and
 * the nearest known one; the gateway answers it as INVALID_REQUEST (the wire, section 7 of its second part).
 */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: issue =>
      issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys, knownOf(issue.inst)) : undefined,
  })
}

/** The names that an object schema knows. Read from the schema that refused: it may be a changed copy. */
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
 * Returns what to say of members that are misspelt names of some that matter; null when there are none. For bodies
 * whose clients send members of their own, which are none of our business unless they were meant to be ours.
 *
 * @param known   names that the body has
 * @param matters those of them that must not be dropped
 */
export function misspeltMembers(
  body: unknown,
  { known, matters }: { known: readonly string[]; matters: readonly string[] },
): string | null {
  if (typeof body !== 'object' || body === null) return null
  const misspelt = Object.keys(body).filter(
    name => !known.includes(name) && nearestName(name, matters) !== null,
  )
  return misspelt.length === 0 ? null : unknownMembers(misspelt, matters)
}

/** Returns the known name that is most like an unknown one, whatever its case and separators; null when none is. */
export function nearestName(unknown: string, known: readonly string[]): string | null {
  const given = plain(unknown.slice(0, NAME_SHOWN_MAX))
  if (given === '') return null
  const rated = known.map(name => ({ name, share: differenceOf(given, plain(name)) }))
  const [best] = rated.sort((a, b) => a.share - b.share)
  return best !== undefined && best.share <= DIFFERENCE_MAX ? best.name : null
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** The part of the longer text's characters in which two differ; less where one holds the other. */
function differenceOf(a: string, b: string): number {
  const longest = Math.max(a.length, b.length)
  const isPart = Math.min(a.length, b.length) > 3 && (a.includes(b) || b.includes(a))
  const distance = isPart ? longest - Math.min(a.length, b.length) : editDistance(a, b)
  return isPart ? (distance / longest) * DIFFERENCE_MAX : distance / longest
}

/** Levenshtein distance. */
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
