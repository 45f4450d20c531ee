import { bigints } from './columns.ts'
import type { Statement } from './ports.ts'

/**
 * Rows that one domain writes to tables of its own, as its part of a statement that several domains share. All parts
 * are one statement, so one round trip, one snapshot, and all or nothing even without a transaction around them.
 */
export type WritePart = {
  /** Parts of the same name have the same SQL. */
  readonly name: string
  /** Common table expressions, `of_rows as (insert ... returning 1)`; `''` when there are none. `$1` is the first of `values`. */
  readonly writes: string
  /**
   * What must come out as it was decided, or nothing is written: what is counted, SQL of the count, in which `$1` is the
   * first of `values`. They are evaluated in their order, those of earlier parts first, and with them the writes that
   * they count: so rows are locked in that order, too.
   */
  readonly checks: readonly (readonly [what: string, count: string])[]
  /** What each of the checks must come to. */
  readonly decided: readonly number[]
  readonly values: readonly unknown[]
}

/** Longest name of a statement that PostgreSQL keeps, in bytes. */
const NAME_LENGTH_MAX = 63

/** A statement by the parts that it is made of. */
type Shape = { readonly name: string; readonly text: string }
const shapes = new Map<string, Shape>()

/**
 * One statement of several parts. It fails, as a whole, when a check does not come to what was decided.
 *
 * @returns answers with one row: `version` is what the rows that it writes carry as `xmin`
 */
export function writeTogether(parts: readonly WritePart[]): Statement {
  const name = parts.map(part => part.name).join(' ')
  const shape = shapes.get(name) ?? shapeOf(name, parts)
  shapes.set(name, shape)
  const decided = parts.flatMap(part => part.decided)
  return { ...shape, values: [...parts.flatMap(part => part.values), bigints(decided, BigInt)] }
}

function shapeOf(name: string, parts: readonly WritePart[]): Shape {
  if (name.length > NAME_LENGTH_MAX) throw new RangeError(`The names of the parts are too long: ${name}`)
  const writes: string[] = []
  const names: string[] = []
  const counts: string[] = []
  let before = 0
  for (const part of parts) {
    const offset = before
    const numbered = (text: string) => text.replaceAll(/\$(\d+)/g, (_, n) => `$${Number(n) + offset}`)
    if (part.writes !== '') writes.push(numbered(part.writes))
    for (const [what, count] of part.checks) {
      names.push(`'${what}'`)
      counts.push(`(${numbered(count)})`)
    }
    before += part.values.length
  }
  const check = `expect_counts(array[${counts.join(', ')}]::bigint[], $${before + 1}::bigint[], array[${names.join(', ')}])`
  return {
    name,
    text: `${writes.length === 0 ? '' : `with ${writes.join(', ')} `}select pg_current_xact_id()::xid::text as version, ${check}`,
  }
}
