import type { Queryable } from '../ports.ts'

/**
 * Returns the seconds since the database last archived a segment of its log, or started without archiving any since;
 * null if it archives nothing. Gateways write every few seconds, so with `archive_timeout` a larger age means that
 * archiving fails.
 */
export async function measureArchiveAge(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ age: number }>({
    text: `select extract(epoch from clock_timestamp() - greatest(last_archived_time, pg_postmaster_start_time()))::float8 as age
           from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
    values: [],
  })
  return row?.age ?? null
}
