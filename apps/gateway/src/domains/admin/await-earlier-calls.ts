import sql from 'sql-template-tag'
import type { Deps } from '../../ports.ts'

/** Polling interval, in ms. */
const LOOK_EVERY_MS = 5
/** Maximum wait, in ms; longer than the statement timeout of a batch. */
const WAIT_MS_MAX = 4_000

/**
 * Waits for the transactions of holds that began before now, on any gateway. One that read a service just before its
 * suspension may commit just after it; later ones see the suspension.
 *
 * @param deps.batchDb connections of the holds; those of all gateways have the same application name
 */
export async function awaitEarlierCalls(deps: Pick<Deps, 'batchDb' | 'clock' | 'log'>): Promise<void> {
  const [start] = await deps.batchDb.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  if (start === undefined) throw new Error('The database returned no time.')
  for (let waited = 0; waited < WAIT_MS_MAX; waited += LOOK_EVERY_MS) {
    const [row] = await deps.batchDb.query<{ count: bigint }>(sql`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = current_setting('application_name')
        and xact_start <= ${start.now} and pid <> pg_backend_pid()`)
    if (row?.count === 0n) return
    await deps.clock.pause(LOOK_EVERY_MS)
  }
  deps.log.warn({ waitedMs: WAIT_MS_MAX }, 'a hold from before a suspension has not ended yet')
}
