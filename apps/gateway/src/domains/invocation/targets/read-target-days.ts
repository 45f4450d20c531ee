import type { Queryable } from '../../../ports.ts'
import { readTargets } from './read-targets.ts'
import { readAttemptsByDay, type TargetDay } from './target-store.ts'

const DAY_MS = 86_400_000

/** The last days of a target. */
export type TargetHistory = {
  readonly days: readonly TargetDay[]
  /** Median of successful attempts in these days; null without any. */
  readonly latencyMs: number | null
}

/**
 * Returns the last days of the targets of a service, by URL; those without calls are missing.
 *
 * @param query.provider in lower case
 * @param query.days     number of UTC days, with today
 * @param query.now      Unix ms
 */
export async function readTargetDays(
  db: Queryable,
  query: { provider: string; serviceId: string; days: number; now: number },
): Promise<ReadonlyMap<string, TargetHistory>> {
  const { days: count, now, ...of } = query
  const period = { from: new Date(now - count * DAY_MS), to: new Date(now) }
  const [days, sums] = await Promise.all([
    readAttemptsByDay(db, { ...of, days: count }),
    readTargets(db, { ...of, ...period }),
  ])
  return new Map(
    sums.map(({ url, latencyMs }) => [
      url,
      { days: days.filter(day => day.url === url), latencyMs: latencyMs?.p50 ?? null },
    ]),
  )
}
