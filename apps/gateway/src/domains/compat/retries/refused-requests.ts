import { createBoundedCache } from '../../../runtime/bounded-cache.ts'

const REFUSED_KEPT_MAX = 10_000
/** Clients retry within a minute. */
const KEPT_MS = 60_000

/** Counts requests of counted retries that were refused before anything was held, of which the books know nothing. */
export type RefusedRequests = {
  note(key: string): void
  /** Takes one away. Returns false if there is none. */
  take(key: string): boolean
}

/** Counts the requests that this process refused. Another gateway may see their retries; it does not know of them. */
export function createRefusedRequests(): RefusedRequests {
  const counts = createBoundedCache<string, number>(REFUSED_KEPT_MAX, { ttl: KEPT_MS })
  return {
    note: key => void counts.set(key, (counts.get(key) ?? 0) + 1),
    take(key) {
      const count = counts.get(key) ?? 0
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
      return count > 0
    },
  }
}
