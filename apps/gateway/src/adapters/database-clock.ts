import type { Clock, Queryable } from '../ports.ts'

/** A clock that shows the time of the database. */
export type DatabaseClock = Clock & {
  /** Reads the time of the database. */
  follow(db: Queryable): Promise<void>
}

/**
 * A clock that shows the time of the database, by which all gateways judge windows and expiries. Between reads it
 * advances by the machine's monotonic clock, as the wall clock may be changed. Its error is at most half of the round
 * trip of the last read. Shows the machine's time until the first.
 */
export function createDatabaseClock(machine: Clock): DatabaseClock {
  let read: { readonly time: number; readonly at: number } | null = null
  return {
    now: () => (read === null ? machine.now() : Math.floor(read.time + machine.elapsed() - read.at)),
    elapsed: machine.elapsed,
    pause: machine.pause,
    async follow(db) {
      const from = machine.elapsed()
      const [row] = await db.query<{ time: Date }>({ text: 'select clock_timestamp() as time', values: [] })
      if (row !== undefined) read = { time: row.time.getTime(), at: (from + machine.elapsed()) / 2 }
    },
  }
}
