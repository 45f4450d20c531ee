import type { Config } from '../config.ts'

const ATTEMPTS_MAX = 3
/** What anvil and PostgreSQL print when their port is taken. */
const TAKEN = /Address already in use|could not create any TCP\/IP sockets/

/**
 * Starts a server on a free port. Another process may take the port before it is listened on: then, unless a port is
 * configured, another one is tried.
 *
 * @param given settings as given: a configured port is the only choice
 * @param found the same with the port that was found
 * @param start starts the server; cleans up if it fails
 * @throws the error of the last attempt
 */
export async function startOnFreePort<Started>(
  given: Pick<Config, 'PORT'>,
  found: Config,
  start: (config: Config) => Promise<Started>,
): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(attempt === 1 ? found : { ...found, PORT: 0 })
    } catch (error) {
      if (!isTaken(error) || given.PORT !== 0 || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** Returns true for the system's error for a port in use, also as a cause or as the output of a program. */
export function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'EADDRINUSE') || TAKEN.test(error.message) || isTaken(error.cause)
}
