import pg from 'pg'

/** What a table takes on disk, by part, in bytes. */
export type TableBytes = {
  readonly table: string
  readonly heap: number
  /** What is stored out of line, its own index included. */
  readonly toast: number
  readonly indexes: number
}

/** How often the versions of rows of a table were replaced, and how often within their page (HOT). */
export type TableUpdates = { readonly table: string; readonly updates: number; readonly hot: number }

/** What a database holds at one moment. */
export type DatabaseState = {
  readonly tables: readonly TableBytes[]
  readonly updates: readonly TableUpdates[]
  /** Where the log of the database stands, in bytes. */
  readonly log: number
}

/**
 * Reads what the tables of a gateway take, after a vacuum: what calls have made and no longer need is not counted, and
 * neither is space that was taken in advance.
 */
export async function readState(databaseUrl: string): Promise<DatabaseState> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const rowsOf = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  try {
    await client.query('select ledger_catch_up()')
    // Before the vacuum, which writes to it too.
    const [at] = await rowsOf<{ log: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log`,
    )
    await client.query('vacuum')
    const tables = await rowsOf<TableBytes>(
      `select c.relname as table, pg_relation_size(c.oid)::float8 as heap, pg_indexes_size(c.oid)::float8 as indexes,
         coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)::float8 as toast
       from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`,
    )
    await client.query('select pg_stat_clear_snapshot()')
    const updates = await rowsOf<TableUpdates>(
      `select relname as table, n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
       from pg_stat_user_tables where schemaname = 'public' order by relname`,
    )
    return { tables, updates, log: at?.log ?? 0 }
  } finally {
    await client.end()
  }
}

/** Growth of one table, in bytes. */
export type Growth = TableBytes & { readonly total: number }

/** What grew from one state to another, the most first. */
export function growthBetween(before: DatabaseState, after: DatabaseState): Growth[] {
  const was = new Map(before.tables.map(table => [table.table, table]))
  return after.tables
    .map(({ table, heap, toast, indexes }) => {
      const old = was.get(table) ?? { heap: 0, toast: 0, indexes: 0 }
      const grown = { heap: heap - old.heap, toast: toast - old.toast, indexes: indexes - old.indexes }
      return { table, ...grown, total: grown.heap + grown.toast + grown.indexes }
    })
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total)
}

/** Tables whose rows were replaced from one state to another, with the part of it that stayed within its page. */
export function hotBetween(before: DatabaseState, after: DatabaseState): TableUpdates[] {
  const was = new Map(before.updates.map(table => [table.table, table]))
  return after.updates
    .map(({ table, updates, hot }) => {
      const old = was.get(table) ?? { updates: 0, hot: 0 }
      return { table, updates: updates - old.updates, hot: hot - old.hot }
    })
    .filter(({ updates }) => updates > 0)
}
