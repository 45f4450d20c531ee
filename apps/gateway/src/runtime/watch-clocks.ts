import type { DatabaseClock } from '../adapters/database-clock.ts'
import type { Log, Metrics, Queryable } from '../ports.ts'

/** From here on it is reported, in ms: lines, traces and certificates of this machine get wrong times. */
const APART_MS = 2_000
/**
 * Above, the gateway is not ready, in ms: one of both clocks is wrong, and providers refuse signatures that are five
 * minutes old (examples/provider-verify).
 */
const APART_MS_MAX = 300_000

/** Watches how far the clock of this machine and that of the database are apart. */
export type ClockWatch = {
  /** Reads the time of the database. */
  follow(db: Queryable): Promise<void>
  /**
   * Reads the time of the database.
   *
   * @throws Error if the clocks are more than five minutes apart
   */
  check(db: Queryable): Promise<void>
}

/** Sets `farebox_clock_ahead_seconds` at each read; logs when the clocks begin and cease to be apart. */
export function createClockWatch(
  clock: DatabaseClock,
  { log, metrics }: { readonly log: Log; readonly metrics: Pick<Metrics, 'set'> },
): ClockWatch {
  let areApart = false
  const follow = async (db: Queryable) => {
    await clock.follow(db)
    const aheadMs = clock.machineAheadMs()
    metrics.set('farebox_clock_ahead_seconds', {}, aheadMs / 1_000)
    const wereApart = areApart
    areApart = Math.abs(aheadMs) > APART_MS
    if (areApart && !wereApart) log.warn({ aheadSeconds: aheadMs / 1_000 }, messageOf(aheadMs))
    if (wereApart && !areApart) log.info({}, 'the clocks of this machine and of the database agree again')
  }
  return {
    follow,
    async check(db) {
      await follow(db)
      const aheadMs = clock.machineAheadMs()
      if (Math.abs(aheadMs) > APART_MS_MAX) throw new Error(messageOf(aheadMs))
    },
  }
}

function messageOf(aheadMs: number): string {
  const apart = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return `the clock of this machine is ${apart} that of the database: run NTP on both`
}
