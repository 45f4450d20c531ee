import type { Db } from '../../../src/ports.ts'

/** Thrown by {@link dyingDb}. */
export class Died extends Error {}

/**
 * Returns a database that fails after a number of calls, as if the process had died. Failed calls have no effect.
 * A transaction counts as one call and is rolled back.
 */
export function dyingDb(db: Db, callsLeft: number): Db & { readonly callsLeft: number } {
  let left = callsLeft
  const live = () => {
    left -= 1
    if (left < 0) throw new Died()
  }
  return {
    get callsLeft() {
      return left
    },
    async query(statement) {
      live()
      return db.query(statement)
    },
    transaction: work =>
      db.transaction(async tx => {
        const result = await work(tx)
        live()
        return result
      }),
  }
}
