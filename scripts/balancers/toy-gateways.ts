import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import { freePort } from '../../apps/gateway/src/adapters/free-port.ts'

/** Servers on loopback that stand for gateways: ready at `/ready`, and each answers a call with its index. */
export type ToyGateways = {
  readonly ports: readonly number[]
  /** Stops a gateway and its connections. */
  stop(index: number): Promise<void>
  /** Restarts a stopped gateway on its port. */
  start(index: number): Promise<void>
  /** Returns the index of each gateway that a call with this key has reached, once for each time. */
  seenBy(key: string): readonly number[]
  close(): Promise<void>
}

/** Starts `count` of them. */
export async function startToyGateways(count: number): Promise<ToyGateways> {
  const seen = new Map<string, number[]>()
  const serverOf = (_: unknown, index: number): Server =>
    createServer((request, response) => {
      if (request.method !== 'POST')
        return void response.writeHead(request.url === '/ready' ? 200 : 404).end()
      json(request).then(
        body => {
          const { key, silenceMs } = body as { key: string; silenceMs?: number }
          seen.set(key, [...(seen.get(key) ?? []), index])
          if (silenceMs === undefined) response.end(String(index))
          else response.write(' ', () => setTimeout(() => response.end(String(index)), silenceMs).unref())
        },
        () => response.writeHead(400).end(),
      )
    })
  const servers = Array.from({ length: count }, serverOf)
  const ports = [] as number[]
  for (const _ of servers) ports.push(await freePort())
  const start = async (index: number) => {
    await once(servers[index]?.listen(ports[index], '127.0.0.1') as Server, 'listening')
  }
  const stop = async (index: number) => {
    const server = servers[index]
    if (!server?.listening) return
    const closed = once(server.close(), 'close')
    server.closeAllConnections()
    await closed
  }
  for (const index of servers.keys()) await start(index)
  const close = async () => void (await Promise.all([...servers.keys()].map(stop)))
  return { ports, start, stop, seenBy: key => seen.get(key) ?? [], close }
}
