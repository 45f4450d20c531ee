import { createServer } from 'node:net'

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
export function tryPort(host: string, port: number): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen(port, host, () => {
      const address = probe.address()
      const found = address !== null && typeof address === 'object' ? address.port : port
      probe.close(() => done(found))
    })
  })
}
