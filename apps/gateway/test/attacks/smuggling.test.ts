import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Listening, listen } from '../kit/network/loopback.ts'
import { converse, statusesIn } from '../kit/network/raw-socket.ts'
import { arrive, invoke, mint, ownerWith, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.001000'
/** A hidden request: whoever parses it as a request of its own has been fooled. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n'
/** One that is plainly there, to show that it would be seen. */
const PLAIN = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'

let gateway: TestGateway
let found = 0
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { HEADERS_TIMEOUT_SECONDS: '0.4', REQUEST_TIMEOUT_SECONDS: '0.8' },
    extraRoutes: app => {
      app.get('/hidden', async () => {
        found += 1
        return {}
      })
    },
  })
})
afterAll(() => gateway.stop())

const post = (headers: readonly string[], body: string, end = '\r\n') =>
  [
    'POST /api/v1/auth/verify HTTP/1.1',
    'host: x',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join(end)
const size = (text: string) => Buffer.byteLength(text).toString(16)

describe('a request hidden in another is never executed', () => {
  test.for([
    ['CL.TE', post(['content-length: 5', 'transfer-encoding: chunked'], `0\r\n\r\n${HIDDEN}`)],
    [
      'TE.CL',
      post(['transfer-encoding: chunked', 'content-length: 4'], `${size(HIDDEN)}\r\n${HIDDEN}\r\n0\r\n\r\n`),
    ],
    [
      'TE.TE, one of them unknown',
      post(['transfer-encoding: chunked', 'transfer-encoding: x'], `0\r\n\r\n${HIDDEN}`),
    ],
    ['an encoding after the chunks', post(['transfer-encoding: chunked, identity'], `0\r\n\r\n${HIDDEN}`)],
    ['an encoding within the chunks', post(['transfer-encoding: gzip, chunked'], `0\r\n\r\n${HIDDEN}`)],
    ['an encoding that looks like chunked', post(['transfer-encoding: xchunked'], `0\r\n\r\n${HIDDEN}`)],
    [
      'an encoding behind a tab',
      post(['transfer-encoding:\tchunked', 'content-length: 3'], `0\r\n\r\n${HIDDEN}`),
    ],
    ['a space before the colon', post(['transfer-encoding : chunked'], `0\r\n\r\n${HIDDEN}`)],
    ['a folded header', post(['x-a: b', ' transfer-encoding: chunked'], `0\r\n\r\n${HIDDEN}`)],
    [
      'a folded encoding',
      post(['transfer-encoding:', ' chunked', 'content-length: 3'], `0\r\n\r\n${HIDDEN}`),
    ],
    [
      'two different lengths',
      post(['content-length: 2', `content-length: ${HIDDEN.length + 2}`], `{}${HIDDEN}`),
    ],
    ['the same length twice', post(['content-length: 2', 'content-length: 2'], `{}${HIDDEN}`)],
    ['a list of lengths', post(['content-length: 2, 2'], `{}${HIDDEN}`)],
    ['a length with a sign', post(['content-length: +2'], `{}${HIDDEN}`)],
    ['a length in hex', post(['content-length: 0x2'], `{}${HIDDEN}`)],
    ['a length that overflows', post(['content-length: 18446744073709551618'], `{}${HIDDEN}`)],
    ['bare line feeds', post(['content-length: 2'], `{}${HIDDEN}`, '\n')],
    ['bare carriage returns', post(['content-length: 2'], `{}${HIDDEN}`, '\r')],
    [
      'a line feed in a header',
      post(['x-a: b\ntransfer-encoding: chunked', 'content-length: 3'], `0\r\n\r\n${HIDDEN}`),
    ],
    ['a NUL in a header', post(['x-a: b\u0000', 'content-length: 2'], `{}${HIDDEN}`)],
    [
      'a chunk extension with a line feed',
      post(['transfer-encoding: chunked'], `2;\n{}\r\n0\r\n\r\n${HIDDEN}`),
    ],
    ['a chunk longer than it says', post(['transfer-encoding: chunked'], `2\r\n{}${HIDDEN}\r\n0\r\n\r\n`)],
    ['a chunk size that overflows', post(['transfer-encoding: chunked'], `ffffffffffffffff2\r\n{}${HIDDEN}`)],
    ['a negative chunk', post(['transfer-encoding: chunked'], `-2\r\n{}\r\n0\r\n\r\n${HIDDEN}`)],
    ['a chunk that ends in a line feed', post(['transfer-encoding: chunked'], `2\n{}\n0\n\n${HIDDEN}`)],
    [
      'HTTP/1.0 in chunks',
      post(['transfer-encoding: chunked'], `0\r\n\r\n${HIDDEN}`).replace('/1.1', '/1.0'),
    ],
    ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
    ['HTTP/0.9', `GET /health\r\n${HIDDEN}`],
  ] as const)('%s', async ([, bytes]) => {
    const before = found
    const reported = await converse(gateway.url, [bytes])
    expect([found - before, reported.isClosed]).toEqual([0, true])
    // An answer to what came first, at most, and a refusal of the rest.
    const statuses = statusesIn(reported)
    expect(statuses.length).toBeLessThanOrEqual(2)
    expect(statuses.filter(status => status !== 400)).toEqual([])
    expect(reported.text).not.toContain('"status":"ok"')
  })

  test('rejects a request with two Host headers as INVALID_REQUEST, equal or not', async () => {
    for (const second of ['x', 'y', '']) {
      const reported = await converse(gateway.url, [
        `GET /health HTTP/1.1\r\nhost: x\r\nHost: ${second}\r\nconnection: close\r\n\r\n`,
      ])
      expect(statusesIn(reported), reported.text).toEqual([400])
      expect(reported.text).toContain('There is more than one Host header.')
    }
  })

  test('answers pipelined requests, with or without chunk extensions and trailers', async () => {
    const chunked = post(
      ['transfer-encoding: chunked'],
      `2;a="b";c\r\n{}\r\n0\r\nx-credential: agt_x\r\n\r\n`,
    )
    const reported = await converse(gateway.url, [chunked + PLAIN], text => text.includes('"status":"ok"'))
    expect(statusesIn(reported), reported.text).toEqual([400, 200])
  })

  test('treats the bytes after an unsupported upgrade as a normal request', async () => {
    const upgrade = 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'
    const reported = await converse(gateway.url, [upgrade], text => text.includes('"status":"ok"'))
    expect(statusesIn(reported)).toEqual([200])
  })
})

describe('towards providers', () => {
  /** Everything that a provider was sent, byte by byte, on each of its connections. */
  const lines: { text: string; socket: Socket }[] = []
  let answer: (body: string, socket: Socket) => void
  const provider = createServer(socket => {
    const line = { text: '', socket }
    lines.push(line)
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      line.text += chunk
      const [head = '', body = ''] = line.text.split(/\r\n\r\n([\s\S]*)/)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      if (Buffer.byteLength(body) < length || line.text === '') return
      answer(head.startsWith('GET') || head.startsWith('HEAD') ? '{"probe":true}' : body, socket)
      line.text = ''
    })
  })
  const reported: string[] = []
  const sendAnswer = (socket: Socket, body: string, more = '') =>
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}${more}`,
    )
  let listening: Listening
  let service: string
  let credential: { token: string }
  beforeAll(async () => {
    answer = (body, socket) => {
      reported.push(body)
      sendAnswer(socket, '{"mine":1}')
    }
    listening = await listen(provider)
    const targets = [`${listening.origin}/`]
    service = await register(gateway, await arrive(gateway), { targets, priceUsdc: PRICE_USDC })
    credential = await mint(gateway, await ownerWith(gateway, '1'))
  })
  afterAll(() => listening.stop())
  const call = (payload: object) =>
    invoke(gateway, credential, { serviceId: service, costUsdc: PRICE_USDC, payload })

  test('no value of a call becomes a request of its own', async () => {
    const hidden = `x\r\ncontent-length: 0\r\n\r\n${HIDDEN}`
    for (const payload of [
      { body: { text: hidden } },
      { body: hidden },
      { body: {}, query: { q: hidden, [hidden]: 'x' } },
      { body: {}, headers: { 'x-a': hidden, 'transfer-encoding': 'chunked', 'content-length': '1' } },
    ]) {
      reported.length = 0
      const { status } = await call(payload)
      expect([200, 400]).toContain(status)
      // One call at most, whose body is what was meant, and nothing after it.
      expect(reported.length).toBe(status === 200 ? 1 : 0)
      expect(reported.join('')).not.toContain('\r\n')
      expect(lines.map(({ text }) => text).join('')).toBe('')
    }
  })

  test('bytes that a provider sends after its answer never answer the next call', async () => {
    const forged = '{"forged":true}'
    answer = (_, socket) =>
      sendAnswer(
        socket,
        '{"mine":1}',
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${forged.length}\r\n\r\n${forged}`,
      )
    for (let turn = 0; turn < 10; turn += 1) {
      const { status, body } = await call({ body: { turn } })
      expect([200, 502]).toContain(status)
      expect(JSON.stringify(body)).not.toContain('forged')
    }
    await gateway.assertBooks()
  })

  test.for([
    ['two lengths', 'content-length: 2\r\ncontent-length: 30\r\n\r\n{}'],
    ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a folded header', 'x-a: b\r\n c: d\r\ncontent-length: 2\r\n\r\n{}'],
    ['a NUL in a header', 'x-a: \u0000\r\ncontent-length: 2\r\n\r\n{}'],
    ['a chunk of a false size', 'transfer-encoding: chunked\r\n\r\n2\r\n{}HTTP/1.1 200 OK\r\n\r\n'],
  ] as const)('an answer with %s is passed on or fails, and the next call is unharmed', async ([, rest]) => {
    answer = (_, socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`)
    const { status } = await call({ body: {} })
    expect([200, 502]).toContain(status)
    answer = (_, socket) => sendAnswer(socket, '{"mine":2}')
    expect((await call({ body: {} })).body.result).toEqual({ mine: 2 })
    await gateway.assertBooks()
  })
})
