import type { Clock } from '../../../ports.ts'

/** An estimate of the database server's clock. */
export type DatabaseTime = {
  now(): Date
  /** Corrects the estimate by a time read from the server. `sentAt`: local clock when the statement was sent, in ms. */
  learn(look: { readonly sentAt: number; readonly read: Date }): void
}

/** Estimates from the local clock and the last known offset. */
export function createDatabaseTime(clock: Clock): DatabaseTime {
  let aheadMs = 0
  return {
    now: () => new Date(clock.now() + aheadMs),
    learn({ sentAt, read }) {
      // The time was read between sending the statement and now.
      const [least, most] = [read.getTime() - clock.now(), read.getTime() - sentAt]
      aheadMs = Math.min(Math.max(aheadMs, least), Math.max(least, most))
    },
  }
}
