import { isUnavailable } from '@farebox/wire/errors'

/** Interval of the lines about one unreachable dependency, in ms. */
const LINE_EVERY_MS = 60_000
/** Maximum causes that are searched. */
const CAUSES_MAX = 4

/**
 * Returns a function that thins out the lines about an unreachable chain or database: jobs and requests fail many times
 * a second then, all for one reason.
 *
 * @param now monotonic clock in ms
 * @returns the fields to write, for an outage with the number of lines left out since the last one; null: write nothing
 */
export function createOutageLines(now: () => number): (fields: object) => object | null {
  const seen = new Map<string, { readonly at: number; leftOut: number }>()
  return fields => {
    const dependency = 'err' in fields ? outageIn(fields.err) : null
    if (dependency === null) return fields
    const last = seen.get(dependency)
    if (last !== undefined && now() - last.at < LINE_EVERY_MS) {
      last.leftOut += 1
      return null
    }
    seen.set(dependency, { at: now(), leftOut: 0 })
    return { ...fields, unreachable: dependency, linesLeftOut: last?.leftOut ?? 0 }
  }
}

/** Returns what was unreachable if an error or a cause of it says so; null for any other error. */
export function outageIn(thrown: unknown): string | null {
  let error = thrown
  for (let causes = 0; error instanceof Error && causes <= CAUSES_MAX; causes += 1) {
    if (isUnavailable(error)) {
      const { dependency, limit } = error.context
      if (typeof dependency === 'string') return dependency
      // Only an unreachable server is a cause; a statement that took too long has a limit.
      return error.cause === undefined || limit !== undefined ? null : 'database'
    }
    error = error.cause
  }
  return null
}
