import pg from 'pg'

/** Plain SQL on the database of a gateway, past every port. */
export type OwnerSql = {
  /** Runs a statement as the owner of the schema, after projecting all calls that were answered. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** Connects to a database as the owner of its schema. */
export function openOwnerSql(ownerUrl: string): OwnerSql {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 3 })
  // A test may kill the database, and it may be dropped before the last connection is closed.
  pool.on('error', () => undefined)
  return {
    async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      await pool.query('select ledger_catch_up()')
      return (await pool.query<Row>(text, values)).rows
    },
    close: () => pool.end(),
  }
}
