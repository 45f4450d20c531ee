import type { GatewayError } from '@farebox/wire/errors'
import type { Clock } from '../../../ports.ts'

const HOUR_MS = 3_600_000
/** Maximum counts between two flushes, by credential, code, limit and hour; refusals beyond are not counted. */
const COUNTS_MAX = 10_000

/** Refused calls of a credential within an hour. */
export type CountedRefusals = {
  readonly owner: string
  readonly credentialId: string
  readonly hour: Date
  readonly code: string
  /** The `limit` of the error's detail; empty without one. */
  readonly limit: string
  readonly count: number
  readonly lastAt: Date
}

/** Counts refused calls between flushes. In memory: a crash loses a few seconds of counts. */
export type RefusalTally = {
  record(agent: { readonly owner: string; readonly credentialId: string }, error: GatewayError): void
  /** Adds back counts that could not be stored. */
  putBack(refusals: readonly CountedRefusals[]): void
  /** Returns the counts and starts again at zero. */
  take(): CountedRefusals[]
}

/** Creates a tally for this process. */
export function createRefusalTally(clock: Pick<Clock, 'now'>): RefusalTally {
  let counts = new Map<string, CountedRefusals>()
  const add = (added: CountedRefusals) => {
    const key = `${added.credentialId} ${added.hour.getTime()} ${added.code} ${added.limit}`
    const before = counts.get(key)
    if (before === undefined && counts.size >= COUNTS_MAX) return
    counts.set(key, { ...added, count: added.count + (before?.count ?? 0) })
  }
  return {
    record({ owner, credentialId }, { code, context }) {
      const now = clock.now()
      const hour = new Date(now - (now % HOUR_MS))
      const limit = typeof context.limit === 'string' ? context.limit : ''
      add({ owner, credentialId, hour, code, limit, count: 1, lastAt: new Date(now) })
    },
    putBack(refusals) {
      for (const each of refusals) add(each)
    },
    take() {
      const taken = [...counts.values()]
      counts = new Map()
      return taken
    },
  }
}
