import { tryPort } from '../adapters/free-port.ts'
import { type Config, ConfigError } from '../config.ts'

/** Codes of the system for a port that cannot be had at an address of this machine. */
const PORT_REFUSED = ['EADDRINUSE', 'EACCES']

/**
 * Returns the port to listen on, a free one for 0. Reads only: before the database is touched.
 *
 * @throws ConfigError naming HOST or PORT; `cause` is the system's error
 */
export async function requirePort({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<number> {
  try {
    return await tryPort(HOST, PORT)
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code)
    const fault = PORT_REFUSED.includes(code)
      ? `PORT: ${HOST} port ${PORT} cannot be listened on (${code}). End what listens there, or choose another port.`
      : `HOST: ${JSON.stringify(HOST)} is no address of this machine (${code}). Use one of its addresses, or 0.0.0.0.`
    throw new ConfigError(`Configuration: ${fault} Nothing was migrated, credited or signed.`, { cause })
  }
}
