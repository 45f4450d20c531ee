import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'

/** Servers on loopback that stand for gateways: ready at `/ready`, and each answers a call with its index. */
export type ToyGateways = {
  readonly ports: readonly number[]
  /** Ends a gateway and its connections. */
  stop(index: number): Promise<void>
  /** Lets a stopped gateway listen again, on its own port. */
  start(index: number): Promise<void>
  /** Indexes of the gateways that a call with this key has reached, once for each time. */
  seenBy(key: string): readonly number[]
  close(): Promise<void>
}

/** Starts `count` of them. */
export async function startToyGateways(count: number): Promise<ToyGateways> {
  const ports: number[] = []
  for (let index = 0; index < count; index += 1) ports.push(await freePort())
  const seen = new Map<string, number[]>()
  const running = new Map<number, Server>()

  const startOne = async (index: number): Promise<void> => {
    const server = createServer((request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(request.url === '/ready' ? 200 : 404).end()
        return
      }
      json(request).then(
        body => {
          const { key } = body as { key: string }
          seen.set(key, [...(seen.get(key) ?? []), index])
          response.end(String(index))
        },
        () => response.writeHead(400).end(),
      )
    })
    server.listen(ports[index], '127.0.0.1')
    await once(server, 'listening')
    running.set(index, server)
  }
  const stopOne = async (index: number): Promise<void> => {
    const server = running.get(index)
    if (server === undefined) return
    running.delete(index)
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  for (const index of ports.keys()) await startOne(index)
  return {
    ports,
    stop: stopOne,
    start: startOne,
    seenBy: key => seen.get(key) ?? [],
    close: async () => void (await Promise.all([...running.keys()].map(stopOne))),
  }
}
