import sql from 'sql-template-tag'
import type { Db, PipelinedDb, Queryable } from '../../ports.ts'
import { prepared } from '../../sql/prepared.ts'

const CATCH_UP = prepared('ledger_catch_up', sql`select ledger_catch_up() as rows`)

/**
 * Projects the log rows that are not projected yet.
 *
 * @returns how many
 */
export async function catchUp(db: Queryable): Promise<number> {
  const [row] = await db.query<{ rows: number }>(CATCH_UP)
  return row?.rows ?? 0
}

/** Returns a database that projects the log before each read, so that reads see every call answered by any gateway. */
export const readsCurrent = (db: PipelinedDb): Db => db.after(CATCH_UP)
