import sql, { type Sql } from 'sql-template-tag'

const NOW = sql`now()`

/**
 * Returns the SQL condition that a lease has ended. One that ends later than the longest lease can is void, too: it is
 * from before the database's clock was set back.
 *
 * @param until   its end
 * @param longest an interval, longer than any lease of this kind
 */
export function isOver(until: Sql, longest: Sql, now = NOW): Sql {
  return sql`${until} not between ${now} and ${now} + ${longest}`
}
