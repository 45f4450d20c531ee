import sql, { type Sql } from 'sql-template-tag'

/** Returns SQL for `rate_window` with all requests moved back by `seconds`. */
export const agedWindow = (seconds: number): Sql => sql`
  overlay(rate_window placing substring(int8send(
    ('x' || encode(substring(rate_window from 1 for 6), 'hex'))::bit(48)::bigint - ${seconds * 1_000}
  ) from 3) from 1)`
