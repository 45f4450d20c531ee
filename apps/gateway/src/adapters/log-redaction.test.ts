import { describe, expect, test } from 'vitest'
import { errorOf, scrub } from './log-redaction.ts'

const HEX = 'a1'.repeat(32)

describe('redaction of a line', () => {
  test.each([
    ['a agt_abcdefg1 b', 'a agt_[redacted] b'],
    ['psk_ab+/=_-1', 'psk_[redacted]'],
    ['"whsec_abcdefgh"', '"whsec_[redacted]"'],
    ['"sigsec_abcdefgh"', '"sigsec_[redacted]"'],
    ['FBX-7K2m-9QXA-W3RD.', '[redacted].'],
    ['FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS', '[redacted]'],
    ['a eyJab-_.ab-_.c-_1 b', 'a [redacted] b'],
    ['eyJabcd.abcd.', '[redacted]'],
    [`a ${HEX} b`, 'a [redacted] b'],
    [`0x${HEX}${HEX}`, '[redacted]'],
    [`"key":"0x${HEX.toUpperCase()}"`, '"key":"[redacted]"'],
    ['Bearer abc"', 'Bearer [redacted]"'],
    ['BASIC   abc d', 'BASIC [redacted] d'],
    ['postgres://ada:love@host/db', 'postgres://[redacted]@host/db'],
    ['redis://love@host', 'redis://[redacted]@host'],
  ])('writes %s as %s', (line, written) => {
    expect(scrub(line)).toBe(written)
  })

  test.each([
    'agt_abcdefg',
    'magt_abcdefgh',
    'agtabcdefgh',
    'FBX-7K2M-9QXA',
    'FBX-7K2M-9QXA-W3R',
    'AFBX-7K2M-9QXA-W3RD',
    'eyJabc.abcd.x',
    'eyJabcd.abc.x',
    'eyJabcd.abcd',
    'keyJabcd.abcd.x',
    `${HEX.slice(1)}`,
    `g${HEX}`,
    `${HEX}g`,
    ...['txHash', 'hash', 'blockHash', 'was', 'is', 'nonce'].flatMap(name => [
      `"${name}":"0x${HEX}"`,
      `"${name}":"${HEX}"`,
    ]),
    'Bearerabc',
    'forbearer abc',
    'https://host/a@b',
    'https://host',
    '"tokens":"abc"',
    '"my-secret":"abc"',
  ])('keeps %s', line => {
    expect(scrub(line)).toBe(line)
  })

  test.each([
    'authorization',
    'cookie',
    'set-cookie',
    'x-credential',
    'x-agent-credential',
    'x-api-key',
    'x-key',
    'x-any-token',
    'password',
    'passwd',
    'secret',
    'token',
    'privateKey',
    'private_key',
    'apiKey',
    'api_key',
    'voucherCode',
    'signature',
    'Authorization',
    'PASSWORD',
  ])('redacts the value of %s and keeps the members around it', name => {
    const given = { a: 'before', [name]: 'a "quoted" \\ back\\slash\nline', z: 'after' }
    const clean = { a: 'before', [name]: '[redacted]', z: 'after' }
    expect(scrub(JSON.stringify(given))).toBe(JSON.stringify(clean))
    expect(scrub(JSON.stringify(given, null, 2))).toBe(JSON.stringify(clean, null, 2))
    const line = (value: object) => JSON.stringify({ text: `sent ${JSON.stringify(value)}` })
    expect(scrub(line(given))).toBe(line(clean))
    expect(scrub(JSON.stringify({ text: `sent ${JSON.stringify(given, null, 2)}` }))).not.toContain('quoted')
  })
})

describe('an error in the log', () => {
  test('has its name, message, code and stack, and no other property', () => {
    const error = Object.assign(new TypeError('no'), { code: 'E1', detail: 'row', config: { a: 1 } })
    error.stack = 'TypeError: no\n    at here'
    expect(errorOf(error)).toEqual({ type: 'TypeError', message: 'no', code: 'E1', stack: error.stack })
  })

  test('omits a code that is not text and a missing stack', () => {
    const error = Object.assign(new Error('no'), { code: 7 })
    delete error.stack
    expect(errorOf(error)).toStrictEqual({ type: 'Error', message: 'no' })
  })

  test('keeps four causes, and 4,000 characters of each text', () => {
    const chain = [1, 2, 3, 4, 5, 6].reduceRight<Error | undefined>(
      (cause, number) => new Error(`error ${number}`, cause && { cause }),
      undefined,
    )
    let written: ReturnType<typeof errorOf> | undefined = errorOf(chain)
    const messages: string[] = []
    for (; written !== undefined; written = written.cause) messages.push(written.message)
    expect(messages).toEqual(['error 1', 'error 2', 'error 3', 'error 4', 'error 5'])
    const long = new Error('x'.repeat(5_000))
    expect(errorOf(long).message).toHaveLength(4_000)
    expect(errorOf(long).stack).toHaveLength(4_000)
    expect(errorOf('y'.repeat(5_000)).message).toHaveLength(4_000)
  })

  test('that is not an Error is logged by its value', () => {
    expect(errorOf('gone')).toEqual({ type: 'string', message: 'gone' })
    expect(errorOf(undefined)).toEqual({ type: 'undefined', message: 'undefined' })
  })
})
