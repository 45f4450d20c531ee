import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { startOnFreePort } from './start-on-free-port.ts'

const servers: Server[] = []
afterEach(() => Promise.all(servers.splice(0).map(server => server.close())))

async function listen({ PORT: port }: { readonly PORT: number }): Promise<number> {
  const server = createServer()
  servers.push(server)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
const settings = (PORT: number) => readConfig({ FAREBOX_MODE: 'dev', PORT: String(PORT) })

test('tries another port when a free one is taken meanwhile', async () => {
  const taken = await listen(settings(0))
  const port = await startOnFreePort(settings(0), settings(taken), listen)
  expect(port).not.toBe(taken)
})

test('tries a configured port only', async () => {
  const taken = await listen(settings(0))
  const starting = startOnFreePort(settings(taken), settings(taken), listen)
  await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('throws other errors at once, without a retry', async () => {
  let starts = 0
  const starting = startOnFreePort(settings(0), settings(0), async () => {
    starts += 1
    throw new Error('The database is away.')
  })
  await expect(starting).rejects.toThrow('The database is away.')
  expect(starts).toBe(1)
})
