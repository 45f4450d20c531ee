import { createServer } from 'node:net'

/**
 * A port of this machine that can be listened on now.
 *
 * @param host      address to listen on
 * @param preferred tried first; another is taken when it is busy
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
