import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort, tryPort } from './free-port.ts'

/** The first port that Linux gives to an outgoing connection. */
const OUTGOING_LEAST = 32_768

test('a free port is none that an outgoing connection may take', async () => {
  for (let count = 0; count < 50; count += 1) expect(await freePort()).toBeLessThan(OUTGOING_LEAST)
})

test('the preferred port is returned unless it is taken', async () => {
  const port = await freePort()
  expect(await freePort('127.0.0.1', port)).toBe(port)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  try {
    await expect(tryPort('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(await freePort('127.0.0.1', port)).not.toBe(port)
  } finally {
    server.close()
  }
})
