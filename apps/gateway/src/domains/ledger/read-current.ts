import sql from 'sql-template-tag'
import type { Db, Queryable } from '../../ports.ts'

/**
 * Projects what was appended to the log and is not projected yet.
 *
 * @returns how many rows of the log that were
 */
export async function catchUp(db: Queryable): Promise<number> {
  const [row] = await db.query<{ rows: number }>(sql`select ledger_catch_up() as rows`)
  return row?.rows ?? 0
}

/**
 * Returns a database whose reads see every call that any gateway has answered: what is not projected yet is projected
 * first.
 */
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
