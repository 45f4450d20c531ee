import sql from 'sql-template-tag'
import type { Db } from '../../../src/ports.ts'

/**
 * Sends a request while another request with the same idempotency key runs, by holding its advisory lock.
 *
 * @param key.scope as in the domain, e.g. `deposits:0x...`
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
