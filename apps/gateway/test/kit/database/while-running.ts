import sql from 'sql-template-tag'
import type { Db } from '../../../src/ports.ts'

/**
 * Asks while the first request of an idempotency key runs: another transaction has what that one would have.
 *
 * @param key.scope as the domain calls it, e.g. `deposits:0x...`
 */
export function whileRunning<Answer>(
  db: Db,
  { scope, key }: { scope: string; key: string },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  return db.transaction(async tx => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`${scope} ${key}`}, 0))`)
    return ask()
  })
}
