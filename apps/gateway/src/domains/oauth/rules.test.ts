import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asDescription,
  faultOfRedirectUri,
  isChallenge,
  isOfProgram,
  isVerified,
  mayRedirect,
  resourceOf,
  withParameters,
} from './rules.ts'

const GATEWAY = 'https://gateway.example'

describe('a redirect URI', () => {
  test.each([
    'https://client.example/callback',
    'https://client.example',
    'https://client.example:8443/callback?tenant=1',
    'http://127.0.0.1:33418/callback',
    'http://127.0.0.1/',
    'http://[::1]:1/callback',
    'http://localhost:8080/callback?a=b',
    'http://localhost',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode-insiders://vscode.example/callback?windowId=1',
    'com.example.client:/callback',
  ])('%s may be registered', uri => {
    expect(faultOfRedirectUri(uri, GATEWAY)).toBeNull()
  })

  test.each([
    'http://client.example/callback',
    'http://127.0.0.1.client.example/callback',
    'http://localhost.client.example/',
    'http://127.0.0.2/callback',
    'http://127.1/callback',
    'http://127.0.0.1@client.example/',
    'https://user:password@client.example/',
    'https://@client.example/',
    'https://client.example/#fragment',
    'https://client.example/#',
    'https://client.example\\@evil.example/',
    'http:\\\\localhost/',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'cursors://callback',
    'javascript://client.example/%0aalert(1)',
    'cursor://user@client.example/',
    'com.example.client://@client.example/',
    '//client.example/callback',
    '/callback',
    'https://',
    'https://client.example/a b',
    'https://client.example/é',
    'https://gateway.example/x402/weather',
    'https://GATEWAY.example.:8443/x402/weather',
    '',
  ])('%s may not be registered', uri => {
    expect(faultOfRedirectUri(uri, GATEWAY)).not.toBeNull()
  })

  test('on loopback is refused at the port of a gateway there, and at no other', () => {
    const isRefused = (uri: string) => faultOfRedirectUri(uri, 'http://127.0.0.1:8080') !== null
    expect(['http://127.0.0.1:8080/', 'http://localhost:8080', 'http://[::1]:8080/a'].every(isRefused)).toBe(
      true,
    )
    expect(['http://127.0.0.1:8081/', 'http://localhost'].some(isRefused)).toBe(false)
  })

  test.each([
    ['https://client.example/callback', 'https://client.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:4711/callback'],
    ['http://127.0.0.1:1/callback', 'http://127.0.0.1/callback'],
    ['http://[::1]:1/callback?a=1', 'http://[::1]:65535/callback?a=1'],
    ['http://localhost/', 'http://localhost:4711/'],
  ])('registered as %s may be requested as %s', (registered, asked) => {
    expect(mayRedirect(registered, asked)).toBe(true)
  })

  test.each([
    ['https://client.example/callback', 'https://client.example/callback/'],
    ['https://client.example/callback', 'https://client.example/callback?a=1'],
    ['https://client.example/callback', 'https://client.example/CALLBACK'],
    ['https://client.example/callback', 'https://CLIENT.example/callback'],
    ['https://client.example/callback', 'https://client.example:443/callback'],
    ['https://client.example/callback', 'https://client.example:8443/callback'],
    ['https://client.example/callback', 'https://client.example.evil.example/callback'],
    ['https://client.example/callback', 'https://client.example/callback#a'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:4711/other'],
    ['http://127.0.0.1/callback', 'http://localhost/callback'],
    ['http://127.0.0.1/callback', 'https://127.0.0.1/callback'],
    ['http://127.0.0.1/', 'http://127.0.0.1:99999/'],
    ['http://127.0.0.1/', 'http://127.0.0.1:1@evil.example/'],
    ['http://127.0.0.1', 'http://127.0.0.1:1.evil.example'],
    ['http://localhost/', 'http://localhost.evil.example/'],
  ])('registered as %s may not be requested as %s', (registered, asked) => {
    expect(mayRedirect(registered, asked)).toBe(false)
  })

  test('that may be requested leads to the registered host, whatever surrounds it', () => {
    const registered = ['http://127.0.0.1/callback', 'http://localhost:1/', 'https://client.example/callback']
    const piece = fc.constantFrom(
      'http://',
      'https://',
      '127.0.0.1',
      'localhost',
      'client.example',
      'evil.example',
      '/callback',
      '/',
      ':1',
      ':99999',
      '@',
      '.',
      '?',
      '#',
      '\\',
      '%2f',
      ' ',
      '[::1]',
    )
    const asked = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(fc.constantFrom(...registered), asked, (uri, other) => {
        if (!mayRedirect(uri, other)) return
        expect(new URL(other).hostname).toBe(new URL(uri).hostname)
        expect(new URL(other).protocol).toBe(new URL(uri).protocol)
      }),
      { numRuns: 5_000 },
    )
  })

  test('is one of a program on the machine by its loopback host or its scheme only', () => {
    expect(isOfProgram('http://127.0.0.1:1/a')).toBe(true)
    expect(isOfProgram('cursor://client.example/a')).toBe(true)
    expect(isOfProgram('https://localhost/')).toBe(false)
    expect(isOfProgram('https://client.example/?http://localhost/')).toBe(false)
  })

  test('keeps its own parameters and adds those of the response', () => {
    const parameters = { code: 'a b&c', state: undefined, iss: GATEWAY }
    expect(withParameters('https://client.example/callback?tenant=1', parameters)).toBe(
      'https://client.example/callback?tenant=1&code=a+b%26c&iss=https%3A%2F%2Fgateway.example',
    )
  })
})

test('a token is for /mcp or the gateway only', () => {
  expect(resourceOf(GATEWAY, undefined)).toBe(`${GATEWAY}/mcp`)
  expect(resourceOf(GATEWAY, `${GATEWAY}/mcp`)).toBe(`${GATEWAY}/mcp`)
  expect(resourceOf(GATEWAY, `${GATEWAY}/mcp/`)).toBe(`${GATEWAY}/mcp`)
  expect(resourceOf(GATEWAY, GATEWAY)).toBe(GATEWAY)
  expect(resourceOf(GATEWAY, `${GATEWAY}/`)).toBe(GATEWAY)
  for (const other of ['https://other.example/mcp', `${GATEWAY}/v1`, `${GATEWAY}.evil.example`, '', '/mcp']) {
    expect(resourceOf(GATEWAY, other), other).toBeNull()
  }
})

describe('a code verifier', () => {
  // RFC 7636, appendix B.
  const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  test('matches its own challenge only', () => {
    expect(isVerified(CHALLENGE, VERIFIER)).toBe(true)
    expect(isVerified(CHALLENGE, `${VERIFIER.slice(0, -1)}l`)).toBe(false)
    expect(isVerified(CHALLENGE, CHALLENGE)).toBe(false)
    expect(isVerified(VERIFIER, VERIFIER)).toBe(false)
  })

  test('has 43 to 128 unreserved characters, even when it matches', () => {
    for (const verifier of ['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(42)}+`, '']) {
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      expect(isVerified(challenge, verifier), verifier).toBe(false)
    }
    expect(isChallenge(CHALLENGE)).toBe(true)
    for (const text of [undefined, '', CHALLENGE.slice(1), `${CHALLENGE}a`, CHALLENGE.replace('E', '+')]) {
      expect(isChallenge(text), text).toBe(false)
    }
  })
})

test('a description replaces characters that OAuth does not allow', () => {
  expect(asDescription('name: "é\\\n')).toBe("name: '?'?")
})
