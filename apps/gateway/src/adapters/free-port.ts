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
  if (port !== 0) return listenShortly(host, port)
  for (let tries = 1; ; tries += 1) {
    try {
      return await listenShortly(host, randomInt(LEAST, MOST))
    } catch (error) {
      if (!isTaken(error) || tries === TRIES_MAX) throw error
    }
  }
}

function listenShortly(host: string, port: number): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen(port, host, () => probe.close(() => done(port)))
  })
}
