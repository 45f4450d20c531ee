import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type KeptLog, keepLog } from '../kit/log-lines.ts'
import { get, post } from '../kit/network/http.ts'
import { converse } from '../kit/network/raw-socket.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.001000'
/** Text that would inject a line of the log, or a header. */
const FORGED_LINE = '\n{"level":"error","time":"2026-11-21T00:00:00.000Z","msg":"forged"}\n'
const FORGED_HEADER = '\r\nset-cookie: forged=1\r\n\r\n<script>forged</script>'
const ESCAPES = '\u001b[2J\u001b]0;forged\u0007\u009b31m\u202e'

let gateway: TestGateway
let kept: KeptLog
let upstream: TestProvider
let owner: Person
beforeAll(async () => {
  kept = keepLog('debug')
  const env = { HEADERS_TIMEOUT_SECONDS: '0.3', REQUEST_TIMEOUT_SECONDS: '0.6', LOG_SUCCESS_SHARE: '1' }
  ;[gateway, upstream] = await Promise.all([startTestGateway({ log: kept.log, env }), startProvider()])
  owner = await ownerWith(gateway, '5')
})
afterAll(async () => {
  await gateway.assertBooks()
  await gateway.stop()
  await upstream.stop()
})

describe('a log with injected text', () => {
  test('stays one object per line, without injected lines or cursor movements', async () => {
    const { token } = owner
    for (const text of [FORGED_LINE, FORGED_HEADER, ESCAPES]) {
      const encoded = encodeURIComponent(text)
      await get(gateway, `/services/discover?search_query=${encoded}`)
      await get(gateway, `/services/${encoded}`, { token })
      await get(gateway, `/nobody/${encoded}`)
      await post(gateway, '/services', {
        token,
        body: { serviceName: text, invoke: { targets: [{ url: text }] } },
      })
      await post(gateway, '/auth/verify', { body: { address: text, message: text, signature: text } })
      await post(gateway, '/feedback', {
        body: { source: 'api', sentiment: 'neutral', category: 'bug', message: text, route: text },
      })
      await post(gateway, '/credentials/agent/issue', { token, body: { name: text } })
      for (const header of [
        'x-request-id',
        'traceparent',
        'user-agent',
        'x-forwarded-for',
        'authorization',
      ]) {
        await converse(gateway.url, [
          `GET /health HTTP/1.1\r\nhost: x\r\n${header}: ${text}\r\nconnection: close\r\n\r\n`,
        ])
      }
    }
    // Error texts of a provider, and of the database about text that it refuses.
    upstream.respondWith((_, response) => {
      response.writeHead(500, `Sorry ${encodeURIComponent(ESCAPES)}`, { 'content-type': 'text/plain' })
      response.end(FORGED_LINE + ESCAPES)
    })
    const service = await register(gateway, await arrive(gateway), {
      targets: [upstream.url],
      priceUsdc: PRICE_USDC,
    })
    const credential = await mint(gateway, owner)
    await invoke(gateway, credential, { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {} } })
    await gateway.sql('alter table forum_topics rename to forum_topics_elsewhere')
    await get(gateway, `/forum/topics?q=${encodeURIComponent(FORGED_LINE)}`)
    await gateway.sql('alter table forum_topics_elsewhere rename to forum_topics')

    const lines = kept.text().split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.length).toBeGreaterThan(25)
    for (const line of lines) {
      const { msg } = JSON.parse(line) as { msg: string }
      expect(msg).not.toBe('forged')
      // C0, DEL, C1 and what turns the direction of a text: as escapes of JSON at most.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    }
  })
})

describe('a header with injected text', () => {
  test('of our answers repeats nothing of the request but an id of printable characters', async () => {
    for (const [path, name, value] of [
      ['/health', 'x-request-id', 'ok\r\nset-cookie: forged=1'],
      ['/health', 'x-request-id', 'ok\nset-cookie: forged=1'],
      ['/health', 'x-request-id', 'ok\u0085set-cookie: forged=1'],
      ['/health', 'origin', 'https://a\u0000b'],
      ['/api/v1/services/discover?limit=1&cursor=%0d%0aset-cookie:%20forged=1', 'accept', '*/*'],
      ['/api/v1/usage/logs?from=%0d%0aset-cookie:%20forged=1', 'accept', 'text/csv'],
      ['/%0d%0aset-cookie:%20forged=1', 'accept', '*/*'],
    ] as const) {
      const { text } = await converse(gateway.url, [
        `GET ${path} HTTP/1.1\r\nhost: x\r\n${name}: ${value}\r\nconnection: close\r\n\r\n`,
      ])
      const [head = ''] = text.split('\r\n\r\n')
      expect([path, value, head]).toEqual([path, value, expect.not.stringMatching(/^set-cookie/im)])
      expect(head).toMatch(/^x-request-id: [\x20-\x7e]+\r$/m)
    }
  })

  test('of a request to a provider contains nothing of the caller’s', async () => {
    upstream.respondWith((_, response) => response.writeHead(200).end('{}'))
    const service = await register(gateway, await arrive(gateway), {
      targets: [upstream.url],
      priceUsdc: PRICE_USDC,
    })
    const { token } = await mint(gateway, owner)
    const before = upstream.calls.length
    const payload = { body: {}, headers: { 'x-evil': 'a\r\nforged: 1' }, query: { 'a\r\nb': FORGED_HEADER } }
    for (const headers of [
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      { cookie: 'forged=1' },
    ]) {
      await post(gateway, '/agent/invoke', {
        headers: { 'x-credential': token, 'x-forged': '1', 'user-agent': 'forged', ...headers },
        body: { serviceId: service, costUsdc: PRICE_USDC, payload },
      })
    }
    for (const { headers, url } of upstream.calls.slice(before)) {
      expect(JSON.stringify(headers)).not.toMatch(/forged|agt_/)
      expect(url).not.toMatch(/[\r\n]/)
    }
  })
})
