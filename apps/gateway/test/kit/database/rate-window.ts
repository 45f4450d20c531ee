import sql, { type Sql } from 'sql-template-tag'

/** Stands for a stored rate window in an update, as if its requests had come `seconds` earlier. */
export const agedWindow = (seconds: number): Sql => sql`
  overlay(rate_window placing substring(int8send(
    ('x' || encode(substring(rate_window from 1 for 6), 'hex'))::bit(48)::bigint - ${seconds * 1_000}
  ) from 3) from 1)`
