import helmet from '@fastify/helmet'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consolePolicy, contentSecurityPolicy, securityHeaders } from '../../src/http/security-headers.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { converse } from '../kit/network/raw-socket.ts'

const OURS = 'https://console.example'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { CORS_ORIGINS: OURS, HEADERS_TIMEOUT_SECONDS: '0.3', REQUEST_TIMEOUT_SECONDS: '0.6' },
  })
})
afterAll(() => gateway.stop())

/** Answers of every kind, each as the head that goes over the wire. */
const KINDS: readonly (readonly [string, string])[] = [
  ['a success', 'GET /health HTTP/1.1\r\nhost: x\r\n'],
  ['an answer without a body', 'HEAD /health HTTP/1.1\r\nhost: x\r\n'],
  [
    'a preflight',
    `OPTIONS /api/v1/balance HTTP/1.1\r\nhost: x\r\norigin: ${OURS}\r\naccess-control-request-method: GET\r\n`,
  ],
  ['a refusal', 'GET /api/v1/balance HTTP/1.1\r\nhost: x\r\n'],
  ['a path of nobody', 'GET /nowhere HTTP/1.1\r\nhost: x\r\n'],
  ['a method that is not served', 'DELETE /health HTTP/1.1\r\nhost: x\r\n'],
  ['a path that cannot be read', 'GET /%zz HTTP/1.1\r\nhost: x\r\n'],
  ['a request without a host', 'GET /health HTTP/1.1\r\n'],
  ['an expectation that nobody knows', 'GET /health HTTP/1.1\r\nhost: x\r\nexpect: x\r\n'],
  ['what is no HTTP', 'nonsense\r\n'],
  ['a head that is too large', `GET /health HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(40_000)}\r\n`],
  ['a request that does not arrive in time', 'GET /health HTTP/1.1\r\nhost: x\r\nx-slow:'],
  ['the contract', 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n'],
  ['the reference', 'GET /docs/reference/interactive HTTP/1.1\r\nhost: x\r\n'],
  ['what has not changed', 'GET /openapi.json HTTP/1.1\r\nhost: x\r\nif-none-match: "x"\r\n'],
  ['an error of another API', 'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n'],
  ['a tool call', 'POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n'],
]

describe('an answer of every kind', () => {
  test.for(KINDS)('%s has every security header and sets no cookie', async ([, head]) => {
    const isWhole = (text: string) => text.includes('\r\n\r\n')
    const { text } = await converse(gateway.url, [head.endsWith(':') ? head : `${head}\r\n`], isWhole)
    const lines = (text.split('\r\n\r\n')[0] ?? '').split('\r\n').slice(1)
    const headers = new Map(lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line]))
    for (const [name, value] of securityHeaders(true)) {
      // Pages have a policy of their own, and what may be kept says for how long.
      const isOwn = name === 'content-security-policy' || name === 'cache-control'
      expect([name, headers.get(name)]).toEqual([name, isOwn ? expect.anything() : `${name}: ${value}`])
    }
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(lines.length).toBe(headers.size)
    for (const name of ['set-cookie', 'server', 'x-powered-by', 'access-control-allow-credentials'])
      expect(headers.has(name)).toBe(false)
  })

  test('does not bind browsers to TLS outside production', () => {
    expect(new Map(securityHeaders(false)).has('strict-transport-security')).toBe(false)
    expect(new Map(securityHeaders(true)).get('strict-transport-security')).toMatch(/^max-age=31536000;/)
  })

  test('has the security headers that helmet would send', async () => {
    const app = fastify({ logger: false })
    await app.register(helmet, {
      contentSecurityPolicy: false,
      frameguard: { action: 'deny' },
      strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
    })
    app.get('/', async () => ({}))
    const { headers } = await app.inject('/')
    await app.close()
    const ours = securityHeaders(true).filter(
      ([name]) => name !== 'content-security-policy' && name !== 'cache-control',
    )
    expect(ours.length).toBeGreaterThan(5)
    for (const [name, value] of ours) {
      expect([name, String(headers[name]).replaceAll('; ', ';')]).toEqual([name, value.replaceAll('; ', ';')])
    }
  })
})

describe('the policy of a page', () => {
  test.for([
    ['data', contentSecurityPolicy.data],
    ['reference', contentSecurityPolicy.reference],
    ['console', consolePolicy(['https://rpc.example'])],
  ] as const)('of %s runs only our own script files and forbids framing by other pages', ([, policy]) => {
    const directives = new Map(
      policy.split('; ').map(directive => {
        const [name = '', ...sources] = directive.split(' ')
        return [name, sources] as const
      }),
    )
    const scripts = directives.get('script-src') ?? directives.get('default-src')
    expect([["'self'"], ["'none'"]]).toContainEqual(scripts)
    for (const name of ['frame-ancestors', 'base-uri', 'form-action'])
      expect(directives.get(name)).toEqual(["'none'"])
    expect(["'self'", "'none'"]).toContain(directives.get('default-src')?.[0])
    expect(policy).not.toMatch(/unsafe-eval|wasm|\*|http:|strict-dynamic/)
  })

  test('fits the reference page, whose scripts are all files and which loads nothing from elsewhere', async () => {
    const page = await (await fetch(`${gateway.url}/docs/reference/interactive`)).text()
    const scripts = [...page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)]
    expect(scripts.length).toBeGreaterThan(0)
    for (const [, attributes = '', text] of scripts) {
      expect(text).toBe('')
      expect(attributes).toMatch(/type="application\/json"|src="\/docs\/reference\.js/)
    }
    expect(page).not.toMatch(/ on\w+=|javascript:|(?:src|href)="(?:https?:)?\/\//)
  })
})

describe('cross-origin requests', () => {
  const from = async (origin: string, method: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${gateway.url}/api/v1/balance`, { method, headers: { origin, ...headers } })
    return answer.headers.get('access-control-allow-origin')
  }

  test.for([
    'null',
    'https://console.example.evil.test',
    'https://evil.test/console.example',
    'http://console.example',
  ])('from %s are not allowed', async origin => {
    expect(await from(origin, 'GET', { authorization: 'Bearer x' })).toBeNull()
    expect(await from(origin, 'OPTIONS', { 'access-control-request-method': 'POST' })).toBeNull()
  })

  test('from our own origin are allowed by name, with Vary for caches', async () => {
    expect(await from(OURS, 'GET', { authorization: 'Bearer x' })).toBe(OURS)
    const { headers } = await fetch(`${gateway.url}/api/v1/balance`, { headers: { origin: OURS } })
    expect(headers.get('vary')?.toLowerCase()).toContain('origin')
  })
})
