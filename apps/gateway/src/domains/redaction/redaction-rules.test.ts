import { createHash, createPrivateKey } from 'node:crypto'
import { writeToken } from '@farebox/wire/tokens'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { english, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../test/kit/processor-time.ts'
import { type Json, redactJson, redactText } from './redaction-rules.ts'

const words: ReadonlySet<string> = new Set(english)
const clean = (text: string) => redactText(text, words)
const cleanJson = (value: unknown) => redactJson(value, words)

/** Returns pseudorandom bytes that are the same in every run, so that tests are deterministic. */
const bytes = (label: string, count: number) =>
  createHash('shake256', { outputLength: count }).update(label).digest()
const keyOf = (label: string) => `0x${bytes(label, 32).toString('hex')}` as const
/** Returns a number of words of the list, in the form of a seed phrase. */
const phraseOf = (count: number) =>
  Array.from({ length: count }, (_, at) => english[bytes(`${at} of ${count}`, 2).readUInt16BE() % 2_048])

const jwt = await new SignJWT({ a: 1 })
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject('0x00')
  .sign(bytes('session', 32))
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex') // RFC 8410
const pem = createPrivateKey({
  key: Buffer.concat([ED25519, bytes('pem', 32)]),
  format: 'der',
  type: 'pkcs8',
})
  .export({ format: 'pem', type: 'pkcs8' })
  .toString()
const signature = await privateKeyToAccount(keyOf('signer')).signMessage({ message: 'hello' })

const secrets: readonly (readonly [string, string])[] = [
  ['a mail address', 'Ada.Lovelace+farebox@mail.example.com'],
  ['an international mail address', 'jürgen@müller.example'],
  ['a mail address in a query', 'bob%40example.com'],
  ['an obfuscated mail address', 'bob [at] example [dot] com'],
  ['an agent token', writeToken('agt', bytes('secret 1', 32))],
  ['a provider secret', writeToken('psk', bytes('secret 2', 32))],
  ['a webhook secret', `whsec_${bytes('secret 3', 32).toString('base64')}`],
  ['a voucher code', 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS'],
  ['a session', jwt],
  ['a private key', keyOf('private')],
  ['a private key without 0x', keyOf('bare').slice(2)],
  ['a private key in capitals', keyOf('capital').slice(2).toUpperCase()],
  ['a signature', signature],
  ['a seed phrase of 12 words', phraseOf(12).join(' ')],
  ['a seed phrase of 15 words', phraseOf(15).join(' ')],
  ['a seed phrase of 18 words', phraseOf(18).join(' ')],
  ['a seed phrase of 21 words', phraseOf(21).join(' ')],
  ['a seed phrase of 24 words', phraseOf(24).join(' ')],
  ['a card number', '4111 1111 1111 1111'],
  ['a card number with dashes', '5500-0055-5555-5559'],
  ['a card number without blanks', '378282246310005'],
  ['a key in PEM', pem.trim()],
  ['a key of OpenAI', `sk-proj-${bytes('secret 4', 24).toString('hex')}`],
  ['a key of Anthropic', `sk-ant-api03-${bytes('secret 5', 24).toString('base64url')}`],
  ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE'],
  ['a token of GitHub', `ghp_${bytes('secret 6', 18).toString('hex')}`],
  ['a key of Stripe', `sk_live_${bytes('secret 7', 12).toString('hex')}`],
]

/** Letters that never form a secret, whatever is next to them. */
const prose = fc.stringMatching(/^[a-f ,.!?äß漢]{0,60}$/)

describe('redaction removes', () => {
  test.each(secrets)('%s', (_, secret) => {
    const { value, isRedacted } = clean(`It said "${secret}" and then nothing.`)
    expect(isRedacted).toBe(true)
    expect(value).not.toContain(secret)
    expect(value).toMatch(/^It said "\[redacted:[a-z]+\]" and then nothing\.$/)
  })

  test('a secret whatever surrounds it, and nothing else', () => {
    const secret = fc.constantFrom(...secrets.map(([, text]) => text))
    fc.assert(
      fc.property(prose, secret, prose, (before, hidden, after) => {
        const { value, isRedacted } = clean(`${before}\n\n\n${hidden}\n\n\n${after}`)
        expect(isRedacted).toBe(true)
        expect(value).not.toContain(hidden)
        expect(value.startsWith(before)).toBe(true)
        expect(value.endsWith(after)).toBe(true)
      }),
    )
  })

  test('a secret with invisible characters in it', () => {
    const invisible = fc.constantFrom('\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\ufe0f')
    const secret = fc.constantFrom(...secrets.map(([, text]) => text))
    fc.assert(
      fc.property(secret, invisible, fc.nat(), (hidden, mark, place) => {
        const at = 1 + (place % (hidden.length - 1))
        const { value } = clean(`see ${hidden.slice(0, at)}${mark}${hidden.slice(at)} here`)
        expect(value).toMatch(/^see \[redacted:[a-z]+\] here$/)
      }),
    )
  })

  test('a secret in full-width letters and digits', () => {
    const wide = (text: string) =>
      text.replaceAll(/[!-~]/g, character => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0))
    for (const [name, secret] of secrets) expect([name, clean(wide(secret)).isRedacted]).toEqual([name, true])
    expect(clean('٤١١١ ١١١١ ١١١١ ١١١١').value).toBe('[redacted:cardnumber]')
  })

  test('a seed phrase that is numbered, listed or in capitals', () => {
    const phrase = phraseOf(12)
    expect(clean(phrase.map((word, index) => `${index + 1}. ${word}`).join('\n')).value).toBe(
      '1. [redacted:seedphrase]',
    )
    expect(clean(phrase.join(', ').toUpperCase()).value).toBe('[redacted:seedphrase]')
    expect(clean(phrase.slice(0, 11).join(' ')).isRedacted).toBe(false)
  })

  test('the value of a named secret only', () => {
    expect(clean('password: hunter2').value).toBe('password: [redacted:credential]')
    expect(clean('https://ada:lovelace@host/path').value).toBe('https://[redacted:credential]@host/path')
    expect(clean('https://ada@b.org:lovelace@host/').value).toBe('https://[redacted:credential]@host/')
    expect(clean('Authorization: Basic YWRhOmxvdmVsYWNl').value).toBe(
      'Authorization: Basic [redacted:credential]',
    )
  })
})

describe('redaction keeps', () => {
  const hash = `0x${createHash('sha256').update('a block').digest('hex')}`

  test.each([
    ['a wallet', 'my wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 is empty'],
    ['an id', 'inv_01kahd5w3xqv7m2c9z4n8r6t0e failed'],
    ['amounts and times', 'charged 0.050000 USDC at 2026-11-21T09:00:00.000Z, 1795251600000'],
    ['a mention and a package', 'cc @ada, I run pino@10.4.0 and @farebox/client@latest'],
    ['a sentence about authorization', 'authorization: required, and the bearer of it is the agent'],
    ['code', 'const answer = await client.invoke({ serviceId, payload })'],
    [
      'many plain words',
      'the agent will call the service and the service will answer the agent about the price',
    ],
  ])('%s', (_, text) => {
    expect(clean(text)).toEqual({ value: text, isRedacted: false })
  })

  test('a transaction hash that is named as one and written with 0x', () => {
    for (const text of [
      `transaction ${hash} is missing`,
      `tx: ${hash}`,
      `my txHash is "${hash}"`,
      `https://basescan.org/tx/${hash}`,
    ]) {
      expect(clean(text)).toEqual({ value: text, isRedacted: false })
    }
    expect(cleanJson({ deposit: { tx_hash: hash } }).isRedacted).toBe(false)
  })

  test('but not a hash that is unnamed, named a key or without 0x', () => {
    for (const text of [hash, `it is ${hash}`, `key of the tx ${hash}`, `hash ${hash.slice(2)}`]) {
      expect(clean(text).isRedacted).toBe(true)
    }
  })

  test('texts without secrets', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Zäöüß漢字 \n.,;!?()'-]{0,300}$/), text => {
        fc.pre(!/\b(at|dot)\b/i.test(text))
        expect(clean(text)).toEqual({ value: text, isRedacted: false })
      }),
    )
  })

  test('the replacement of a secret, unless a secret goes on behind it', () => {
    for (const text of ['password: [redacted:credential]', 'https://[redacted:credential]@host']) {
      expect(clean(text)).toEqual({ value: text, isRedacted: false })
    }
    for (const text of [
      'password: [redacted:email]x',
      'password: x[redacted:email]',
      'password: [redacted:',
    ]) {
      expect(clean(text).value).toBe('password: [redacted:credential]')
    }
  })

  test('what is already redacted', () => {
    const named = [
      'tx ',
      'my key ',
      'password: ',
      'bearer ',
      'Authorization: Basic ',
      'https://ada:',
      '@host',
    ]
    const piece = fc.oneof(
      prose,
      fc.string(),
      fc.constantFrom(...named),
      fc.constantFrom(...secrets.map(([, text]) => text)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), pieces => {
        const { value } = clean(pieces.join(' '))
        expect(clean(value)).toEqual({ value, isRedacted: false })
      }),
    )
  })
})

describe('JSON', () => {
  const key = keyOf('in JSON')

  test('redacts secrets at every depth, in names too, and keeps the rest', () => {
    expect(
      cleanJson({
        pageTitle: 'Invoke',
        count: 3,
        on: true,
        none: null,
        deep: [{ a: [{ note: `see ${key}` }] }, 'bob@example.com', 4111111111111111],
        'ada@example.com': 1,
        'eve@example.com': 2,
      }),
    ).toEqual({
      isRedacted: true,
      value: {
        pageTitle: 'Invoke',
        count: 3,
        on: true,
        none: null,
        deep: [{ a: [{ note: 'see [redacted:privatekey]' }] }, '[redacted:email]', '[redacted:cardnumber]'],
        '[redacted:email]': 1,
        '[redacted:email] (2)': 2,
      },
    })
  })

  test('redacts a member that is named a secret, whatever its value', () => {
    expect(
      cleanJson({ password: 'hunter 2', headers: { Cookie: 'a=b' }, token: 7, tokens: 7, keep: 'x' }),
    ).toEqual({
      isRedacted: true,
      value: {
        password: '[redacted:credential]',
        headers: { Cookie: '[redacted:credential]' },
        token: '[redacted:credential]',
        tokens: 7,
        keep: 'x',
      },
    })
  })

  test.each([
    'password',
    'Passphrase',
    'db_passwd',
    'pwd',
    'clientSecret',
    'secrets',
    'mnemonic',
    'seed',
    'seeds',
    'mySeedPhrase',
    'seed_phrase',
    'private_key',
    'privateKeys',
    'api_key',
    'apikey',
    'Authorization',
    'cookies',
    'token',
    'access_token',
    'x-token',
    'accessToken',
    '\uff50\uff57\uff44',
  ])('redacts all texts and numbers below %s, at any depth', name => {
    const secret = '[redacted:credential]'
    expect(cleanJson({ [name]: { a: ['x', 7, ''], on: true, none: null }, after: 'y' }).value).toEqual({
      [name]: { a: [secret, secret, ''], on: true, none: null },
      after: 'y',
    })
  })

  test.each(['mypwd', 'pwds', 'reseed', 'tokens', '7token', 'tokenCount', 'apiUrl', 'passed', 'privateNote'])(
    'keeps the value of %s',
    name => {
      expect(cleanJson({ [name]: 'x' })).toEqual({ value: { [name]: 'x' }, isRedacted: false })
    },
  )

  test('takes time in proportion to the number of names that redaction makes equal', () => {
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a@b.co${index}`, 1]))
    const { value } = cleanJson(named(3))
    expect(value).toEqual({ '[redacted:email]': 1, '[redacted:email] (2)': 1, '[redacted:email] (3)': 1 })
    expect(processorMs(() => cleanJson(named(5_000)))).toBeLessThan(2_000)
  })

  test('keeps an empty secret', () => {
    expect(cleanJson({ password: '' })).toEqual({ value: { password: '' }, isRedacted: false })
  })

  test('classifies a value by its own name, not by the value before it', () => {
    const hash = keyOf('hash')
    expect(cleanJson({ tx: hash })).toEqual({ value: { tx: hash }, isRedacted: false })
    expect(cleanJson(['tx', hash]).value).toEqual(['tx', '[redacted:privatekey]'])
    expect(cleanJson([hash, 'ada', '@example.com']).value).toEqual([
      '[redacted:privatekey]',
      'ada',
      '@example.com',
    ])
  })

  test('redacts overlapping secrets as one, and others one by one', () => {
    expect(clean('password: ada@example.com, yes').value).toBe('password: [redacted:credential], yes')
    expect(clean('ada@example.com eve@example.com').value).toBe('[redacted:email] [redacted:email]')
    expect(clean('a@b.org:c@d.org').value).toBe('[redacted:email]:[redacted:email]')
    expect(clean(`${pem.trim()}${pem.trim()}`).value).toBe('[redacted:pem][redacted:pem]')
    expect(cleanJson(['ada@example.com eve@example.com', 'bob@example.com']).value).toEqual([
      '[redacted:email] [redacted:email]',
      '[redacted:email]',
    ])
    expect(cleanJson({ password: 'ada@example.com' }).value).toEqual({ password: '[redacted:credential]' })
  })

  test('numbers names that become equal', () => {
    const names = [
      'ada@example.com',
      'eve@example.com',
      'bob@example.com',
      '[redacted:email] (4)',
      'zoe@example.com',
    ]
    expect(Object.keys(cleanJson(Object.fromEntries(names.map(name => [name, 1]))).value ?? {})).toEqual([
      '[redacted:email]',
      '[redacted:email] (2)',
      '[redacted:email] (3)',
      '[redacted:email] (4)',
      '[redacted:email] (5)',
    ])
  })

  test('redacts each part of a secret spread over values, and keeps what surrounds it', () => {
    const [head, body, tail] = pem.trim().split('\n')
    expect(cleanJson([`see ${head}`, `${body}`, `${tail} there`, 'and here']).value).toEqual([
      'see [redacted:pem]',
      '[redacted:pem]',
      '[redacted:pem] there',
      'and here',
    ])
    const [first, second] = [phraseOf(12).slice(0, 6).join(' '), phraseOf(12).slice(6).join(' ')]
    expect(cleanJson({ a: `see ${first}`, b: `${second}!`, c: 'zed' }).value).toEqual({
      a: 'see [redacted:seedphrase]',
      b: '[redacted:seedphrase]!',
      c: 'zed',
    })
  })

  test('keeps a number without a secret a number, and turns non-JSON values into null', () => {
    expect(cleanJson([0, 1.5, false, undefined, () => 1])).toEqual({
      value: [0, 1.5, false, null, null],
      isRedacted: false,
    })
  })

  test('finds a phrase or a key spread over values', () => {
    const phrase = phraseOf(12)
    const hasWord = (value: unknown) => phrase.some(word => JSON.stringify(value).includes(`"${word}"`))
    for (const spread of [
      phrase,
      phrase.map(text => ({ w: text })),
      Object.fromEntries(phrase.map((word, index) => [`w${index}`, word])),
    ]) {
      const { value, isRedacted } = cleanJson({ spread })
      expect(isRedacted).toBe(true)
      expect(hasWord(value)).toBe(false)
    }
    const lines = cleanJson({ lines: pem.trim().split('\n'), after: 'this stays' })
    expect(lines.value).toMatchObject({ after: 'this stays' })
    expect(JSON.stringify(lines.value)).not.toContain(pem.split('\n')[1])
  })

  test('redacts an unterminated PEM block within its value only', () => {
    const cut = cleanJson({ a: '-----BEGIN PRIVATE KEY-----\nMC4C', b: 'this stays', c: 'this too' })
    expect(cut.value).toEqual({ a: '[redacted:pem]', b: 'this stays', c: 'this too' })
  })

  test('returns JSON without secrets unchanged, except for what a database cannot store', () => {
    const name = fc.stringMatching(/^[a-f]{0,8}$/)
    const json = fc.letrec<{ value: Json }>(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        prose,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value
    fc.assert(
      fc.property(json, value => {
        expect(cleanJson(value)).toEqual({ value, isRedacted: false })
      }),
    )
    expect(cleanJson({ 'a\u0000': 'b\ud800\u0000' }).value).toEqual({ a: 'b\ufffd' })
  })

  test('redacts any JSON, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
        const once = cleanJson(value)
        expect(cleanJson(once.value).value).toEqual(once.value)
      }),
    )
  })
})
