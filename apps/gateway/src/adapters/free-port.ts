import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { isTaken } from '../runtime/start-on-free-port.ts'

/**
 * Below the ports that systems give to outgoing connections (from 32,768 on Linux, from 49,152 elsewhere), one of which
 * could take the port before it is listened on.
 */
const [LEAST, MOST] = [10_000, 32_000]
const TRIES_MAX = 20

/**
 * Starts a server on a port that it can listen on. No port is only looked at: another process could take it before the
 * server listens.
 *
 * @param preferred tried first; 0: none
 * @param start     starts the server on a port; cleans up and rejects as {@link isTaken} tells if that is taken
 * @throws the error of `start` if it is another one, or the last one
 */
export async function startOnAnyPort<Started>(
  preferred: number,
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(tries === 1 && preferred !== 0 ? preferred : randomInt(LEAST, MOST))
    } catch (error) {
      if (!isTaken(error) || tries === TRIES_MAX) throw error
    }
  }
}

/**
 * Returns a free port of this machine.
 *
 * @param host      address to listen on
 * @param preferred tried first
 * @throws the error of listening, such as EADDRNOTAVAIL
 */
export async function freePort(host = '127.0.0.1', preferred = 0): Promise<number> {
  return tryPort(host, preferred).catch(() => tryPort(host, 0))
}

/**
 * Returns a port that can be listened on: the given one, or a free one for 0.
 *
 * @throws the error of listening
 */
export async function tryPort(host: string, port: number): Promise<number> {
  const listen = (tried: number) => listenShortly(host, tried)
  return port === 0 ? startOnAnyPort(0, listen) : listen(port)
}

function listenShortly(host: string, port: number): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen(port, host, () => probe.close(() => done(port)))
  })
}
