/** Deliveries that are remembered; the oldest is forgotten first. */
const REPLAYS_KEPT_MAX = 100_000

/**
 * Returns a function that says whether a name is new, and remembers it until a time (unix milliseconds), after which its
 * signature has expired anyway.
 */
export function createReplayGuard(now: () => number): (name: string, until: number) => boolean {
  const seen = new Map<string, number>()
  return (name, until) => {
    for (const [oldest, end] of seen) {
      if (end >= now() && seen.size < REPLAYS_KEPT_MAX) break
      seen.delete(oldest)
    }
    if (seen.has(name)) return false
    seen.set(name, until)
    return true
  }
}
