import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { overTcp } from '../database/test-database.ts'
import type { Certificate } from './certificate.ts'
import { listen } from './loopback.ts'

/** A server that speaks TLS before one that does not. */
export type TlsFront = {
  readonly port: number
  /** Shows another certificate from the next connection on. */
  show(certificate: Certificate): void
  stop(): Promise<void>
}

/**
 * Starts a front that decrypts and passes on.
 *
 * @param to URL of the server behind it; before a database, clients ask for TLS first (SSLRequest)
 */
export async function startTlsFront(to: string, certificate: Certificate): Promise<TlsFront> {
  const { protocol, hostname, port } = overTcp(to)
  let shown = certificate
  const serve = async (client: Socket) => {
    if (protocol === 'postgres:' || protocol === 'postgresql:') {
      await once(client, 'data')
      client.write('S')
    }
    const secure = new TLSSocket(client, { isServer: true, ...shown })
    const onward = connect(Number(port), hostname)
    for (const [socket, other] of [
      [secure, onward],
      [onward, secure],
    ] as const) {
      socket.on('error', () => undefined)
      socket.once('close', () => other.destroy())
      socket.pipe(other)
    }
  }
  const server = createServer(client => {
    client.on('error', () => undefined)
    serve(client).catch(() => client.destroy())
  })
  const { port: own, stop } = await listen(server)
  return {
    port: own,
    show(next) {
      shown = next
    },
    stop,
  }
}
