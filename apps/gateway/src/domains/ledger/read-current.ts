import sql from 'sql-template-tag'
import type { Db, Queryable } from '../../ports.ts'

/**
 * Projects the log rows that are not projected yet.
 *
 * @returns how many
 */
export async function catchUp(db: Queryable): Promise<number> {
  const [row] = await db.query<{ rows: number }>(sql`select ledger_catch_up() as rows`)
  return row?.rows ?? 0
}

/** Returns a database that projects the log before each read, so that reads see every call answered by any gateway. */
export function readsCurrent(db: Db): Db {
  return {
    async query(statement) {
      await catchUp(db)
      return db.query(statement)
    },
    async transaction(work) {
      await catchUp(db)
      return db.transaction(work)
    },
  }
}
