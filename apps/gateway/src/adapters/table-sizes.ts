import sql from 'sql-template-tag'
import type { Queryable } from '../ports.ts'
import { WATCHED_TABLES } from '../telemetry/instruments.ts'

/** Statistics of a table. */
export type TableSize = {
  readonly table: (typeof WATCHED_TABLES)[number]
  /** With indexes and TOAST. */
  readonly bytes: number
  readonly rows: number
  readonly deadRows: number
}

/**
 * Returns the sizes of the tables that grow, by the estimates of the last vacuum or analyze: a few rows of the
 * catalogue.
 */
export function measureTables(db: Queryable): Promise<TableSize[]> {
  return db.query<TableSize>(sql`
    select c.relname as table, greatest(c.reltuples, 0)::float8 as rows,
      coalesce(pg_stat_get_dead_tuples(c.oid), 0)::float8 as dead_rows,
      (c.relpages + (
        select coalesce(sum(part.relpages), 0) from pg_class part
        where part.oid = c.reltoastrelid
           or part.oid in (select indexrelid from pg_index where indrelid in (c.oid, c.reltoastrelid))
      ))::float8 * current_setting('block_size')::integer as bytes
    from unnest(${WATCHED_TABLES}::text[]) as watched (name)
    join pg_class c on c.oid = to_regclass(watched.name)`)
}
