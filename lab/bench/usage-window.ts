import { Client } from 'pg'

/** Longer than a gateway waits for the usage of a call (15 minutes), in minutes. */
const PAST_WINDOW_MINUTES = 16

/**
 * Makes the calls of the bench's own gateway that wait for their usage have waited too long. This is the one thing
 * that is not done by way of the gateway: nobody wants to run a benchmark for a quarter of an hour.
 *
 * @returns how many calls were waiting
 */
export async function passUsageWindow(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('select ledger_catch_up()')
    const { rowCount } = await client.query(
      `update metered_calls set processing_since = processing_since - make_interval(mins => $1)
       where processing_since is not null`,
      [PAST_WINDOW_MINUTES],
    )
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}
