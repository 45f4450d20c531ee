import { createServer } from 'node:net'

/**
 * Returns a free port of this machine.
 *
 * @param host      address to listen on
 * @param preferred tried first
 */
export async function freePort(host = '127.0.0.1', preferred = 0): Promise<number> {
  const port = await tryPort(host, preferred)
  return port ?? (await tryPort(host, 0)) ?? Promise.reject(new Error(`There is no free port on ${host}.`))
}

function tryPort(host: string, port: number): Promise<number | null> {
  return new Promise(done => {
    const probe = createServer()
    probe.once('error', () => done(null))
    probe.listen(port, host, () => {
      const address = probe.address()
      probe.close(() => done(address !== null && typeof address === 'object' ? address.port : null))
    })
  })
}
