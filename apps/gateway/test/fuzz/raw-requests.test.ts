import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { type Conversation, converse, statusesIn } from '../kit/network/raw-socket.ts'
import { runs } from './runs.ts'

// Bytes that no HTTP client would write. Invariants: the connection is answered or closed in time, no answer reports a
// fault of ours, and each answer is one of ours.

const RUNS = 30
const TOGETHER = 12
/** Far more than the limits of the gateway below, and less than it keeps an idle connection. */
const PATIENCE_MS = 5_000

vi.setConfig({ testTimeout: 1_800_000 })

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { HEADERS_TIMEOUT_SECONDS: '0.3', REQUEST_TIMEOUT_SECONDS: '0.6' },
  })
})
afterAll(() => gateway.stop())

const noise = fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('latin1'))
const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS') },
  fc.constantFrom('TRACE', 'CONNECT', 'PRI', 'get', 'G\u0000T', '', 'M-SEARCH', 'QUERY', 'SOURCE'),
)
const targets = fc.oneof(
  fc.constantFrom(
    '/health',
    '/api/v1/auth/verify',
    '/api/v1/services/discover?limit=1',
    '/v1/messages',
    '/mcp',
    '/docs',
    '/docs/reference',
    '*',
    '//',
    '/%',
    '/%00',
    '/\\',
    'http://elsewhere.example/health',
    '/a b',
    '/\x7f',
    '/?',
    '/#a',
    'x:443',
    `/${'a/'.repeat(3_000)}`,
    `/health?${'a'.repeat(40_000)}`,
    '/api/v1/../../health',
    '/;/health',
    '/é',
  ),
  noise,
)
const versions = fc.constantFrom(
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'http/1.1',
  '',
)
const headers = fc.oneof(
  fc.constantFrom(
    'host: x',
    'host: x',
    'host: x',
    'host: a\r\nhost: b',
    'host:',
    'Host : x',
    'content-length: 4',
    'content-length: 4, 4',
    'content-length: -1',
    'content-length: 99999999999999999999',
    'connection: close',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'connection: upgrade\r\nupgrade: h2c',
    'expect: 100-continue',
    'expect: nothing',
    'content-type: application/json',
    'content-encoding: gzip',
    'authorization: Bearer \xff',
    `cookie: ${'a=b;'.repeat(4_000)}`,
    ' folded: x',
    'x\u0000y: z',
    'a: b\rc: d',
    'x-request-id: \x85',
    'origin: \u0000',
    'x-credential: agt_\xe9',
    ': empty',
    'no colon',
    'a: b\nc: d',
  ),
  noise,
)
const bodies = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    '{"a"',
    '\xff\xfe{}',
    '\xc3\x28{}',
    '4\r\n{"a"\r\n0\r\n\r\n',
    '5;x=\n\r\nabcde\r\n0\r\n\r\n',
    'ffffffffffffffffff\r\n',
    '-1\r\n',
    '0\r\nx-credential: agt_x\r\n\r\n',
    'GET /health HTTP/1.1\r\n\r\n',
  ),
  noise,
)
const requests = fc
  .record({
    method: methods,
    target: targets,
    version: versions,
    end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
    headers: fc.array(headers, { maxLength: 6 }),
    body: bodies,
  })
  .map(({ method, target, version, end, headers: lines, body }) =>
    [`${method} ${target} ${version}`, ...lines, '', body].join(end),
  )
const conversations = fc.record({
  bytes: fc.oneof(
    { weight: 5, arbitrary: fc.array(requests, { minLength: 1, maxLength: 3 }).map(all => all.join('')) },
    noise,
  ),
  cuts: fc.array(fc.nat({ max: 400 }), { maxLength: 6 }),
})

const cut = ({ bytes, cuts }: { bytes: string; cuts: readonly number[] }): string[] => {
  const ends = [...cuts.map(at => Math.min(at, bytes.length)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.slice(index === 0 ? 0 : ends[index - 1], end))
}

function expectSound(conversation: Conversation): void {
  const { text, isClosed } = conversation
  // Valid requests are answered, and the connection is kept open.
  if (!isClosed) expect(text).not.toBe('')
  for (const status of statusesIn(conversation)) expect(status, text).toBeLessThan(500)
  // Every answer begins with a status line, and each except 100 has an id.
  if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 \d{3} /)
  const heads = text.match(/HTTP\/1\.1 (?!100|101)\d{3} [\s\S]*?\r\n\r\n/g) ?? []
  for (const head of heads) expect(head).toMatch(/^x-request-id: /im)
}

test('answers or closes any connection in time whatever bytes it sends, and serves others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(conversations, { minLength: 1, maxLength: TOGETHER }), async all => {
      const reported = await Promise.all(
        all.map(one => converse(gateway.url, cut(one), undefined, PATIENCE_MS)),
      )
      reported.forEach(expectSound)
      expect(gateway.observer.takeFaults()).toEqual([])
      expect((await send(gateway.url, '/health')).status).toBe(200)
    }),
    runs(RUNS),
  )
})
