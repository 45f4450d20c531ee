import pg from 'pg'
import type { Person } from '../world/world.ts'

/** Rows locked by a session of the test. */
export type RowLock = { release(): Promise<void> }

/** Blocks appends to the partition of an owner until the lock is released. */
export function lockLedger(databaseUrl: string, owner: Person): Promise<RowLock> {
  return lockRows(
    databaseUrl,
    'select 1 from ledger_partitions where partition = ledger_partition_of($1) for update',
    [owner.account.address.toLowerCase()],
  )
}

/**
 * Locks rows until the lock is released.
 *
 * @param statement a `select ... for update`
 */
export async function lockRows(databaseUrl: string, statement: string, values: unknown[]): Promise<RowLock> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    const { rowCount } = await client.query(statement, values)
    if (rowCount === 0) throw new Error('There is no such row to lock.')
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    async release() {
      await client.query('rollback')
      await client.end()
    },
  }
}
