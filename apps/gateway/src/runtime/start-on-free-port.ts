import type { Config } from '../config.ts'

const ATTEMPTS_MAX = 3

/**
 * Starts something that listens. A free port that was found may be taken by somebody else before it is listened on:
 * then, and where nobody has set a port, it is started again on another one.
 *
 * @param given the settings as given: a port that is set is the only one that will do
 * @param found the same with the port that was found
 * @param start makes a start; what it has begun is given back when it fails
 * @throws what the last start threw
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
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || given.PORT !== 0 || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
