import { once } from 'node:events'
import { Agent, get as httpGet } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PartialGateway, startPartialGateway } from '../test/kit/gateway/partial-gateway.ts'
import { send } from '../test/kit/network/http.ts'
import type { Chain } from './ports.ts'

const OURS = 'https://console.example'
const OTHERS = 'https://elsewhere.example'
/** Far less than a kept-alive connection lasts. */
const STOP_MS_MAX = 5_000

let gateway: PartialGateway

beforeAll(async () => {
  gateway = await startPartialGateway({
    chain: {} as Chain,
    env: { CORS_ORIGINS: OURS },
    routes: app => {
      app.get('/things/:id', async () => ({ found: true }))
    },
  })
})
afterAll(() => gateway.stop())

/** Sends bytes on a connection of its own and reads until it is closed. */
async function sendBytes(text: string): Promise<{ head: string; body: unknown }> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let answer = ''
  socket.on('data', (chunk: string) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { head, body: JSON.parse(body) }
}

describe('an error has the standard shape', () => {
  test('on a malformed path, and on one with a segment that is too long', async () => {
    for (const [path, status, code] of [
      ['/api/v1/%zz', 400, 'INVALID_REQUEST'],
      ['/api/v1/things/%ff%fe', 400, 'INVALID_REQUEST'],
      [`/api/v1/things/${'a'.repeat(300)}`, 404, 'NOT_FOUND'],
    ] as const) {
      const answer = await send(gateway.url, path, { headers: { 'x-request-id': 'mine' } })
      expect([path, answer.status, answer.body]).toEqual([
        path,
        status,
        { code, message: expect.any(String), requestId: 'mine', detail: expect.objectContaining({ code }) },
      ])
      expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-content-type-options': 'nosniff' })
    }
  })

  test('on input that is not HTTP, and on a header section that is too large', async () => {
    for (const [text, reason] of [
      ['hello\r\n\r\n', 'not an HTTP request'],
      [
        'GET /api/v1/services/discover?search_query=café HTTP/1.1\r\nhost: x\r\n\r\n',
        'URL .* percent-encoded',
      ],
      [
        'GET /api/v1/services/discover?search_query=a b HTTP/1.1\r\nhost: x\r\n\r\n',
        'URL .* percent-encoded',
      ],
      ['GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\nx name: a\r\n\r\n', 'A header has characters'],
      [
        `GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(40_000)}\r\n\r\n`,
        'header section is too large',
      ],
      ['POST /api/v1/auth/verify HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', 'not an HTTP request'],
    ] as const) {
      const { head, body } = await sendBytes(text)
      expect(head).toMatch(/^HTTP\/1\.1 400 /)
      const { requestId } = body as { requestId: string }
      expect(head).toContain(`x-request-id: ${requestId}`)
      const message = expect.stringMatching(reason)
      expect(body).toMatchObject({ code: 'INVALID_REQUEST', message, detail: { code: 'INVALID_REQUEST' } })
    }
  })

  test('on a body that is not JSON, with the place', async () => {
    const headers = { 'content-type': 'application/json' }
    const ask = (body: string) =>
      fetch(`${gateway.url}/api/v1/auth/verify`, { method: 'POST', headers, body }).then(each => each.json())
    expect(await ask('{"a":1 "b"}')).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^The body is not JSON: .*position 7/),
    })
    expect(await ask('{"__proto__":1}')).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('on JSON that is nested too deeply', async () => {
    const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
    const answer = (levels: number) =>
      send<{ code: string }>(gateway.url, '/api/v1/auth/verify', { method: 'POST', body: nested(levels) })
    expect(await answer(3_000)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } })
    expect((await answer(500)).body.code).toBe('INVALID_PAYLOAD')
  })
})

test('echoes a request id of up to 128 printable characters, and replaces any other', async () => {
  const idFor = async (given: string) =>
    (await send(gateway.url, '/nowhere', { headers: { 'x-request-id': given } })).headers['x-request-id']
  for (const id of ['a', 'two words', 'x'.repeat(128)]) expect(await idFor(id)).toBe(id)
  for (const id of ['', 'x'.repeat(129), 'ü', 'a\tb']) expect(await idFor(id)).toMatch(/^req_/)
})

describe('pages of other origins', () => {
  const preflight = async (origin: string, method: string, headers: string) => {
    const answer = await fetch(`${gateway.url}/api/v1/auth/me`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': headers,
      },
    })
    return {
      origin: answer.headers.get('access-control-allow-origin'),
      methods: answer.headers.get('access-control-allow-methods'),
    }
  }

  test('may read public routes, with a preflight and without', async () => {
    const { headers } = await send(gateway.url, '/api/v1/auth/challenge', { headers: { origin: OTHERS } })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(await preflight(OTHERS, 'GET', 'x-request-id, content-type')).toMatchObject({ origin: '*' })
  })

  test('may send credentials and write only when listed, then by every method', async () => {
    for (const [method, headers] of [
      ['GET', 'content-type, Authorization'],
      ['GET', 'x-credential'],
      ['POST', 'content-type'],
      ['PUT', 'authorization'],
    ] as const) {
      expect(await preflight(OTHERS, method, headers)).toMatchObject({ origin: null })
      const allowed = await preflight(OURS, method, headers)
      expect(allowed.origin).toBe(OURS)
      expect(allowed.methods?.split(/,\s*/)).toContain(method)
    }
  })

  test('get an answer to OPTIONS without a preflight', async () => {
    const answer = await fetch(`${gateway.url}/api/v1/auth/me`, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
  })
})

describe('a gateway that stops', () => {
  test('refuses new requests on open connections, and does not wait for idle keep-alive connections', async () => {
    const arrived = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const stopping = await startPartialGateway({
      chain: {} as Chain,
      routes: app => {
        app.get('/slow', async () => {
          arrived.resolve()
          await goOn.promise
          return { done: true }
        })
      },
    })
    const agent = new Agent({ keepAlive: true })
    const slow = once(httpGet(`${stopping.url}/api/v1/slow`, { agent }), 'response')
    await arrived.promise

    const { hostname, port } = new URL(stopping.url)
    const open = connect(Number(port), hostname).setEncoding('utf8')
    open.write('GET /api/v1/auth/me HTTP/1.1\r\nhost: x\r\n') // a request that is half sent is no idle connection
    await new Promise(setImmediate)
    await send(stopping.url, '/api/v1/auth/me', { headers: { connection: 'close' } }) // and has arrived by now

    const stoppedAt = performance.now()
    const stopped = stopping.stop()
    await new Promise(setImmediate)
    open.write('\r\n')
    let refused = ''
    for await (const chunk of open) refused += chunk
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: \d+\r$/m)
    expect(refused).toContain('"code":"UNAVAILABLE"')

    goOn.resolve()
    const [response] = await slow
    response.resume()
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close'])
    await stopped
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS_MAX)
    agent.destroy()
  })
})
