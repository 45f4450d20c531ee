import { connect, createServer, type Socket } from 'node:net'
import { listen } from './loopback.ts'

/** A line to a server that can be cut. Knows nothing of what it carries. */
export type TcpLine = {
  /** URL of the server through the line. */
  readonly url: string
  /** Resets every connection. */
  cut(): void
  /** Resets every connection, and new ones as soon as they are made, until `heal`. */
  down(): void
  heal(): void
  stop(): Promise<void>
}

/** Starts a line to a server on a loopback port. */
export async function startTcpLine(to: string): Promise<TcpLine> {
  const { port, hostname } = new URL(to)
  const sockets = new Set<Socket>()
  let isDown = false
  const server = createServer(client => {
    if (isDown) {
      client.resetAndDestroy()
      return
    }
    const onward = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const { origin, stop } = await listen(server)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: origin,
    cut,
    down() {
      isDown = true
      cut()
    },
    heal() {
      isDown = false
    },
    async stop() {
      cut()
      await stop()
    },
  }
}
