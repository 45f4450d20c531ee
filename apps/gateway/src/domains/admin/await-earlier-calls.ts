import sql from 'sql-template-tag'
import type { Deps } from '../../ports.ts'

/** Pause between two looks, in ms. */
const LOOK_EVERY_MS = 5
/** Longest wait, in ms: a statement of a batch is cut by the server before that. */
const WAIT_MS_MAX = 4_000

/**
 * Waits for the transactions of holds that began before now, on any gateway: one that read a service just before it
 * was suspended may commit just after. Holds that begin later see what is committed by now.
 *
 * @param deps.batchDb the connections of the holds: those of other gateways go by the same name
 */
export async function awaitEarlierCalls(deps: Pick<Deps, 'batchDb' | 'clock' | 'log'>): Promise<void> {
  const [start] = await deps.batchDb.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  if (start === undefined) throw new Error('The database told no time.')
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
