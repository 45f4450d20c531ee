import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { converse, statusesIn } from '../kit/network/raw-socket.ts'
import { until } from '../kit/until.ts'

const CONNECTIONS_MAX = 60
/** Clients that ask eight times each, and do not read: within what one address is given in a minute. */
const DEAF = 3
const DRIP_EVERY_MS = 50
/** Bytes that drip in far longer than any request may take. */
const DRIPS = 400
const HEAD = 'POST /api/v1/auth/verify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'

let gateway: TestGateway
let server: Server
beforeAll(async () => {
  gateway = await startTestGateway({
    env: {
      HEADERS_TIMEOUT_SECONDS: '0.5',
      REQUEST_TIMEOUT_SECONDS: '1',
      CONNECTIONS_MAX: String(CONNECTIONS_MAX),
    },
    extraRoutes: app => {
      server = app.server
    },
  })
})
afterAll(() => gateway.stop())

/** Sends a beginning, and then a piece now and then, until the gateway has had enough. */
async function drip(beginning: string, piece: string): Promise<{ text: string; sent: number }> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  let text = ''
  let sent = 0
  socket
    .on('error', () => undefined)
    .on('data', (chunk: string) => {
      text += chunk
    })
  socket.write(beginning)
  const dripping = setInterval(() => {
    if (sent === DRIPS) return
    sent += 1
    socket.write(piece)
  }, DRIP_EVERY_MS)
  await new Promise(done => socket.once('close', done))
  clearInterval(dripping)
  return { text, sent }
}

describe('failure 71: a client that never finishes its request', () => {
  test.for([
    ['header after header', HEAD, 'x-a: b\r\n'],
    ['a header, letter by letter', `${HEAD}x-slow: `, 'a'],
    ['a body, letter by letter', `${HEAD}content-length: 60000\r\n\r\n{`, ' '],
    ['a body, chunk by chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  ] as const)('%s, is cut off within the time limit of a request', async ([, beginning, piece]) => {
    const reported = await drip(beginning, piece)
    expect(reported.sent).toBeLessThan(DRIPS)
    expect(reported.text).toMatch(/^HTTP\/1\.1 400 /)
    expect(reported.text).toContain('The request did not arrive in time.')
  })
})

test('a client that does not read its answers delays nobody else, and is dropped', async () => {
  const { hostname, port } = new URL(gateway.url)
  // Made when it is first asked for, which takes its time.
  const { byteLength } = await (await fetch(`${gateway.url}/docs/reference.js`)).arrayBuffer()
  const asked = 'GET /docs/reference.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(8)
  const open = () =>
    new Promise<number>((done, fail) => server.getConnections((e, n) => (e ? fail(e) : done(n))))
  const before = await open()
  const deaf = Array.from({ length: DEAF }, () =>
    connect(Number(port), hostname).on('error', () => undefined),
  )
  for (const socket of deaf) socket.pause().write(asked)
  // Over the connection that the first request opened.
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  await until('they are let go', async () => (await open()) <= before)
  for (const socket of deaf) {
    expect(socket.bytesRead).toBeLessThan(byteLength)
    socket.destroy()
  }
})

test('the largest answer has its own limit of thirty requests a minute per client', async () => {
  const statuses: number[] = []
  for (let asked = 0; asked < 31; asked += 1) {
    const answer = await fetch(`${gateway.url}/docs/reference.js`, { method: 'HEAD' })
    statuses.push(answer.status)
  }
  expect(statuses.at(-1)).toBe(429)
  expect((await send(gateway.url, '/health')).status).toBe(200)
})

test('connections beyond the limit are dropped, and new ones are accepted once others close', async () => {
  const { hostname, port } = new URL(gateway.url)
  const idle = Array.from({ length: 2 * CONNECTIONS_MAX }, () =>
    connect(Number(port), hostname)
      .on('error', () => undefined)
      .resume(),
  )
  await until(
    'the crowd has been cut down',
    () => idle.filter(({ closed }) => closed).length >= CONNECTIONS_MAX,
  )
  await until('everybody who says nothing has been sent away', () => idle.every(({ closed }) => closed))
  const reported = await converse(gateway.url, [
    'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ])
  expect(statusesIn(reported)).toEqual([200])
})
