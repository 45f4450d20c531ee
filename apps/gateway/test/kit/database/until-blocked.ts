import { until } from '../until.ts'

/** Waits until at least `count` statements on a database wait for a lock. */
export function untilBlocked(
  on: { sql(text: string): Promise<readonly unknown[]> },
  count: number,
): Promise<void> {
  return until(`${count} statements wait for a lock`, async () => {
    const waiting = await on.sql(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return waiting.length >= count
  })
}
