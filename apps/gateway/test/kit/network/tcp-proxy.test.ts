import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until as untilSo } from '../until.ts'
import { type Listening, listen } from './loopback.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const LATE_MS = 120

let server: Listening
let proxy: TcpProxy
/** What the far side has received, over all connections. */
let received: string

const until = (holds: () => boolean) => untilSo('what the test waits for', holds)

beforeEach(async () => {
  received = ''
  const far = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined)
    socket.on('data', (piece: Buffer) => {
      received += piece.toString('latin1')
      socket.write(`echo ${piece.toString('latin1')}`)
    })
    socket.on('end', () => socket.end())
  })
  server = await listen(far)
  proxy = await startTcpProxy(() => server.port)
})
afterEach(async () => {
  await proxy.stop()
  await server.stop()
})

/** A client, what it has received, and how its connection ended. */
async function dial() {
  const socket = connect(proxy.port, '127.0.0.1')
  const client = { socket, text: '', end: null as 'closed' | string | null }
  socket.on('data', (piece: Buffer) => {
    client.text += piece.toString('latin1')
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    client.end = error.code ?? 'failed'
  })
  socket.on('close', () => {
    client.end ??= 'closed'
  })
  await once(socket, 'connect')
  return client
}

test('forwards everything while healthy, and closes as its ends do', async () => {
  const client = await dial()
  client.socket.write('hello')
  await until(() => client.text === 'echo hello')
  client.socket.end()
  await until(() => client.end === 'closed')
})

test('latency: delays everything, in order, without loss', async () => {
  proxy.bend({ kind: 'latency', ms: LATE_MS })
  const client = await dial()
  const from = performance.now()
  for (let number = 0; number < 20; number += 1) {
    client.socket.write(`${number},`)
    await new Promise(done => setImmediate(done))
  }
  const all = Array.from({ length: 20 }, (_, number) => `${number},`).join('')
  await until(() => client.text.replaceAll('echo ', '') === all)
  expect(performance.now() - from).toBeGreaterThanOrEqual(2 * LATE_MS - 5)
})

test('reset: resets existing and new connections until healed', async () => {
  const before = await dial()
  before.socket.write('x')
  await until(() => before.text !== '')
  proxy.bend({ kind: 'reset' })
  await until(() => before.end === 'ECONNRESET')
  const during = connect(proxy.port, '127.0.0.1')
  const [error] = (await once(during, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
  proxy.heal()
  const after = await dial()
  after.socket.write('x')
  await until(() => after.text === 'echo x')
})

test('cut: passes so many bytes one way, then resets the connection on both sides', async () => {
  const client = await dial()
  proxy.bend({ kind: 'cut', afterBytes: 7, way: 'up' })
  client.socket.write('12345')
  await until(() => received === '12345')
  client.socket.write('6789')
  await until(() => client.end !== null)
  expect(received).toBe('1234567')
})

test('black hole: drops everything silently; healing resets connections that lost data', async () => {
  const client = await dial()
  client.socket.write('a')
  await until(() => client.text === 'echo a')
  proxy.bend({ kind: 'black hole' })
  client.socket.write('b')
  await new Promise(done => setTimeout(done, LATE_MS))
  expect([received, client.text, client.end]).toEqual(['a', 'echo a', null])
  proxy.heal()
  await until(() => client.end === 'ECONNRESET')
})

test('slow close: delays the end, but not the data before it', async () => {
  proxy.bend({ kind: 'slow close', ms: LATE_MS })
  const client = await dial()
  const from = performance.now()
  client.socket.end('last')
  await until(() => received === 'last')
  await until(() => client.end === 'closed')
  expect(performance.now() - from).toBeGreaterThanOrEqual(LATE_MS - 5)
})

test('a tripwire stops a piece before it arrives, once, however the text is split', async () => {
  let times = 0
  const act = () => {
    times += 1
  }
  proxy.watch({ texts: ['begin', 'commit'], stops: 'before', act })
  const client = await dial()
  client.socket.write('commit begin ')
  await until(() => received.includes('begin'))
  client.socket.write('com')
  await until(() => received.endsWith('com'))
  client.socket.write('mit')
  await until(() => times === 1)
  expect(received).toBe('commit begin com')
  const other = await dial()
  other.socket.write('begin commit')
  await until(() => other.text === 'echo begin commit')
  expect(times).toBe(1)
})

test('a tripwire lets a piece arrive and holds its answer back', async () => {
  let times = 0
  const act = () => {
    times += 1
  }
  proxy.watch({ texts: ['commit'], stops: 'after', act })
  const client = await dial()
  client.socket.write('commit')
  await until(() => times === 1)
  expect([received, client.text]).toEqual(['commit', ''])
  proxy.heal()
  await until(() => client.end === 'ECONNRESET')
})
