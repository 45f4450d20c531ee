import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server that listens on a loopback port. */
export type Listening = {
  readonly port: number
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
  /** Stops listening and closes every connection. */
  stop(): Promise<void>
}

/** Makes a server listen on a free loopback port. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
