import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort, startOnAnyPort, tryPort } from './free-port.ts'

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

test('a server whose port is taken when it starts is started on another', async () => {
  const taken = await freePort()
  const server = createServer().listen(taken, '127.0.0.1')
  await once(server, 'listening')
  const tried: number[] = []
  try {
    const port = await startOnAnyPort(taken, async its => {
      tried.push(its)
      const started = createServer().listen(its, '127.0.0.1')
      await once(started, 'listening')
      started.close()
      return its
    })
    expect(tried).toEqual([taken, port])
  } finally {
    server.close()
  }
})

test('a server that fails for another reason is not started again', async () => {
  let starts = 0
  const starting = startOnAnyPort(0, async () => {
    starts += 1
    throw new Error('The disk is full.')
  })
  await expect(starting).rejects.toThrow('The disk is full.')
  expect(starts).toBe(1)
})
