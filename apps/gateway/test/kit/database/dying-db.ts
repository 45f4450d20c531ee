import type { Db } from '../../../src/ports.ts'

/** Thrown by {@link dyingDb} at the end of its life. */
export class Died extends Error {}

/**
 * A database connection whose process dies after some calls: the call at which it dies has no effect, nor has any
 * after it. A transaction counts once, and dies uncommitted.
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
