import type { Clock, Queryable } from '../ports.ts'

/** A clock that shows the time of the database. */
export type DatabaseClock = Clock & {
  /** Reads the time of the database. */
  follow(db: Queryable): Promise<void>
  /**
   * Returns how far the machine's clock is ahead of the database's, in ms, as of the last read; 0 before it, and if the
   * round trip may be the whole difference.
   */
  machineAheadMs(): number
}

/**
 * A clock that shows the time of the database, by which all gateways judge windows and expiries. Between reads it
 * advances by the machine's monotonic clock, as the wall clock may be changed. Its error is at most half of the round
 * trip of the last read. Shows the machine's time until the first.
 */
export function createDatabaseClock(machine: Clock): DatabaseClock {
  let read: { readonly time: number; readonly at: number } | null = null
  let aheadMs = 0
  return {
    now: () => (read === null ? machine.now() : Math.floor(read.time + machine.elapsed() - read.at)),
    elapsed: machine.elapsed,
    pause: machine.pause,
    machineAheadMs: () => aheadMs,
    async follow(db) {
      const from = machine.elapsed()
      const [row] = await db.query<{ time: Date }>({ text: 'select clock_timestamp() as time', values: [] })
      if (row === undefined) return
      const [time, to] = [row.time.getTime(), machine.elapsed()]
      read = { time, at: (from + to) / 2 }
      // The time was read between sending the statement and now.
      const [most, least] = [machine.now() - time, machine.now() - time - (to - from)]
      aheadMs = least > 0 ? least : Math.min(0, most)
    },
  }
}
