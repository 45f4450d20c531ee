import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { keepLog } from '../../test/kit/log-lines.ts'
import { processorMs } from '../../test/kit/processor-time.ts'
import { createIds } from './ids.ts'
import { scrub } from './log-redaction.ts'

const ids = createIds(() => Date.UTC(2026, 0, 1))
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIweGFiYyJ9.c2lnbmF0dXJlLW9mLWl0'
const KEY = `0x${'4f'.repeat(32)}`

describe('the redaction of a line', () => {
  const secrets: [string, string][] = [
    ['an agent token', ids.token('agt')],
    ['a provider secret', ids.token('psk')],
    ['a webhook secret', `whsec_${Buffer.alloc(24, 7).toString('base64')}`],
    ['a session', JWT],
    ['a private key', KEY],
    ['a key without its prefix', KEY.slice(2)],
    ['a wallet signature', `0x${'ab'.repeat(65)}`],
    ['a voucher code', 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS'],
    ['a bearer token of any kind', 'Bearer abcdefgh.12345'],
    ['a password in a URL', 'postgres://farebox:hunter2@db.example/farebox'],
  ]
  const secretOf = (text: string) => text.replace(/^(Bearer |postgres:\/\/)/, '').replace(/@db.*$/, '')

  test.each(secrets)(
    'removes %s from messages, fields and errors, and keeps the line valid JSON',
    (_, secret) => {
      const { log, lines, text } = keepLog('debug')
      log.warn({ nested: { deep: [`before ${secret} after`] } }, `a message with ${secret} in it`)
      log.error({ err: new Error(`failed at ${secret}`, { cause: new Error(secret) }) }, 'an error')
      log.info({ err: JSON.stringify({ quoted: secret }) }, 'quoted')
      expect(lines).toHaveLength(3)
      expect(text()).not.toContain(secretOf(secret))
      expect(text()).toContain('[redacted]')
      expect(lines[0]?.msg).toContain('a message with')
    },
  )

  test('removes members named like secrets, in text too', () => {
    const { log, text } = keepLog('debug')
    const headers = { authorization: 'abc', cookie: 'def', 'x-credential': 'ghi', 'x-api-key': 'jkl' }
    log.info({ headers, body: { password: 'mno', privateKey: 'pqr', token: 'stu' } }, JSON.stringify(headers))
    for (const value of ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqr', 'stu']) expect(text()).not.toContain(value)
  })

  test('keeps ids, chain hashes, addresses, traces and codes', () => {
    const fields = {
      requestId: 'req_01j9z3k4m5n6p7q8r9s0t1v2w3',
      invocationId: 'inv_01j9z3k4m5n6p7q8r9s0t1v2w3',
      wallet: `0x${'cd'.repeat(20)}`,
      txHash: `0x${'ef'.repeat(32)}`,
      was: `0x${'12'.repeat(32)}`,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      code: 'CREDENTIAL_INVALID',
      url: 'https://api.example.com/a?b=c',
    }
    const { log, lines } = keepLog('debug')
    log.info(fields, 'a deposit was credited to a token holder with a secret handshake')
    expect(lines[0]).toMatchObject(fields)
    expect(lines[0]?.msg).toContain('token holder')
  })

  test('handles a long line quickly', () => {
    const hostile = [
      'a'.repeat(200_000),
      'eyJ'.repeat(70_000),
      '0x'.repeat(100_000),
      '"token":'.repeat(25_000),
      '://'.repeat(70_000),
      'Bearer '.repeat(30_000),
      'f'.repeat(63).concat(' ').repeat(3_000),
      'FBX-'.repeat(50_000),
    ]
    for (const line of hostile) {
      expect(processorMs(() => scrub(line))).toBeLessThan(1_000)
    }
  })
})

describe('a line', () => {
  test('has the message and stack of an error, never its other properties', () => {
    const { log, lines, text } = keepLog('debug')
    const driver = Object.assign(new Error('relation does not exist'), {
      code: '42P01',
      client: { password: 'p' },
      detail: 'Key (email)=(ada@example.com)',
      parameters: ['x'],
    })
    const error = new GatewayError('UNAVAILABLE', { reason: 'away' }, { cause: driver })
    log.error({ err: error }, 'request failed')
    expect(lines[0]).toMatchObject({
      level: 'error',
      msg: 'request failed',
      err: { code: 'UNAVAILABLE', cause: { code: '42P01', message: 'relation does not exist' } },
    })
    for (const word of ['client', 'detail', 'parameters', 'ada@']) expect(text()).not.toContain(word)
  })

  test('reports a chain or database outage once a minute, without a stack, and counts the lines left out', () => {
    let now = 0
    const { log, lines } = keepLog('info', () => now)
    const away = (dependency?: string) =>
      new GatewayError('UNAVAILABLE', dependency === undefined ? {} : { dependency }, {
        cause: new Error('connect ECONNREFUSED'),
      })
    const wrapped = new Error('wrapped', { cause: away('chain') })
    for (const err of [away('chain'), away('chain'), wrapped, away(), away()])
      log.warn({ job: 'a', err }, 'failed')
    log.warn({ err: new Error('a defect') }, 'another')
    expect(lines).toMatchObject([
      {
        job: 'a',
        unreachable: 'chain',
        linesLeftOut: 0,
        err: { cause: { message: 'connect ECONNREFUSED' } },
      },
      { unreachable: 'database', linesLeftOut: 0 },
      { err: { message: 'a defect', stack: expect.any(String) } },
    ])
    expect(JSON.stringify(lines.slice(0, 2))).not.toContain('stack')
    now = 60_000
    log.error({ err: wrapped }, 'failed')
    expect(lines[3]).toMatchObject({ level: 'error', unreachable: 'chain', linesLeftOut: 2 })
    expect(JSON.stringify(lines[3])).not.toContain('stack')
  })

  test('reports every slow query and every rejection that is not an outage', () => {
    const { log, lines } = keepLog('info')
    const slow = new GatewayError(
      'UNAVAILABLE',
      { limit: 'statement_timeout' },
      { cause: new Error('57014') },
    )
    for (const err of [slow, slow, new GatewayError('UNAVAILABLE'), new GatewayError('UNAVAILABLE')])
      log.warn({ err }, 'failed')
    expect(lines).toHaveLength(4)
  })

  test('bounds whatever is thrown: a non-error, circular causes, a huge message', () => {
    const { log, lines } = keepLog('debug')
    const ring = new Error('ring')
    ring.cause = ring
    for (const err of ['text', null, undefined, 7, ring, new Error('x'.repeat(100_000))])
      log.warn({ err }, 'odd')
    expect(lines).toHaveLength(6)
    expect(Math.max(...lines.map(line => JSON.stringify(line).length))).toBeLessThan(20_000)
  })

  test.each([
    ['error', ['error']],
    ['warn', ['warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['silent', []],
  ] as const)('at level %s includes %j', (level, expected) => {
    const { log, lines } = keepLog(level)
    log.debug({}, 'a')
    log.info({}, 'b')
    log.warn({}, 'c')
    log.error({}, 'd')
    expect(lines.map(line => line.level)).toEqual(expected)
  })
})
