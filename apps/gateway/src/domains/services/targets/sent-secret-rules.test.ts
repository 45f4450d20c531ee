import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { secretFilter } from './sent-secret-rules.ts'

const KEY = 'sk-proj-Ab3/dE6fGh1JkL0mNoPq'
const filterFor = (headers: Record<string, string>) => secretFilter({ headers, urls: [] })
const filter = filterFor({ authorization: `Bearer ${KEY}`, 'x-org': 'acme' })

describe('text from a provider', () => {
  test.each([
    [`Incorrect API key provided: ${KEY}.`],
    [`Incorrect API key provided: sk-proj-****oPq.`],
    [`Incorrect API key provided: sk-pr...NoPq.`],
    [`Incorrect API key provided: sk-proj.......`],
    [`Incorrect API key provided: sk-xxxxxxxxoPq.`],
    [`{"error":{"message":"bad key ${KEY.replaceAll('/', '\\/')}"}}`],
    [`GET /v1?key=${encodeURIComponent(KEY)}`],
    [`Authorization: ${Buffer.from(KEY).toString('base64')}`],
    [KEY.toUpperCase()],
    [`The key that ends in ${KEY.slice(-10)}`],
    [`begins with ${KEY.slice(0, 12)}`],
    [`the organisation acme`],
  ])('has the sent secret redacted: %j', text => {
    const clean = filter(text)
    expect(clean).toContain('[redacted]')
    for (let at = 0; at + 8 <= KEY.length; at += 1)
      expect(clean.toLowerCase()).not.toContain(KEY.slice(at, at + 8).toLowerCase())
    expect(clean).not.toMatch(/acme|oPq\b/i)
  })

  test('has the user and password of basic authentication redacted', () => {
    const basic = Buffer.from('robot:correct horse').toString('base64')
    expect(filterFor({ authorization: `Basic ${basic}` })('no "correct horse" for robot')).toBe(
      'no "[redacted]" for robot',
    )
  })

  test('is unchanged when it contains no part of a secret', () => {
    const text = 'Rate limit reached for gpt-4o... try again in 2s. See https://docs.example/errors ***'
    expect(filter(text)).toBe(text)
    expect(filterFor({})(KEY)).toBe(KEY)
  })

  test('keeps its lines, even if a secret has some', () => {
    const basic = Buffer.from('robot:correct\n\nhorse').toString('base64')
    expect(filterFor({ authorization: `Basic ${basic}` })('data: correct\n\ndata: horse\n\n')).toBe(
      'data: [redacted]\n\ndata: [redacted]\n\n',
    )
  })

  test('never contains a secret, regardless of its position', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9_-]{8,60}$/)
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (key, before, behind) => {
        expect(filterFor({ 'x-api-key': key })(before + key + behind)).not.toContain(key)
      }),
    )
  })
})

describe('text that quotes the URL of a target', () => {
  const url =
    'https://api.example/v1beta/users/{user}/T0pSecret99/chat-completions?key=pass%20phrase%2Fx&alt=json&debug=true&bare0key1'
  const clean = secretFilter({ headers: {}, urls: [url] })

  test.each([
    [
      'Cannot POST /v1beta/users/7/T0pSecret99/chat-completions',
      'Cannot POST /v1beta/users/7/[redacted]/chat-completions',
    ],
    ['?key=pass%20phrase%2fx&alt=json', '?key=[redacted]&alt=json'],
    ['no "pass phrase/x" in {"debug":true}', 'no "[redacted]" in {"debug":true}'],
    ['?bare0key1', '?[redacted]'],
  ])('has the secrets in path and query redacted, and no plain words: %s', (text, expected) => {
    expect(clean(text)).toBe(expected)
  })

  test('may have percent signs that encode nothing', () => {
    expect(secretFilter({ headers: {}, urls: ['https://api.example/?key=100%secret'] })('100%secret')).toBe(
      '[redacted]',
    )
  })
})

test('searches a text of almost masks in about the time of any other', () => {
  const spentOn = (word: string) => {
    const text = word.repeat(262_144 / word.length)
    filter(text)
    return processorMs(() => filter(text))
  }
  const usual = spentOn('word ')
  for (const word of ['..a', 'xxx.']) expect(spentOn(word)).toBeLessThan(4 * usual + 20)
})
