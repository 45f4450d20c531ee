import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../../../apps/gateway/test/kit/code-point.ts'
import { codeIn, emailIn, usernameIn } from './profiles.ts'

const isEmail = (text: unknown) => emailIn.safeParse(text).success
const isUsername = (text: unknown) => usernameIn.safeParse(text).success

test('every accepted email has one line, one @ and no room for a header', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, maxLength: 40 }),
      fc.constantFrom('', '@', '@a.bc', '\r\n'),
      (text, end) => {
        const email = `${text}${end}`
        if (!isEmail(email)) return
        expect(email).toMatch(/^[\x21-\x7e]+$/)
        expect(email.split('@')).toHaveLength(2)
        expect(email).not.toMatch(/[<>,;:"()\\\s]/)
      },
    ),
  )
})

test('accepts a common email unchanged', () => {
  const local = fc.stringMatching(/^[A-Za-z0-9_+'-]{1,16}(\.[A-Za-z0-9_+'-]{1,16}){0,2}$/)
  const host = fc.stringMatching(/^([A-Za-z0-9]{1,10}(-[A-Za-z0-9]{1,10})?\.){1,3}[A-Za-z]{2,10}$/)
  fc.assert(
    fc.property(local, host, (name, domain) => {
      expect(emailIn.parse(`${name}@${domain}`)).toBe(`${name}@${domain}`)
    }),
  )
})

test('parses any email input quickly', () => {
  const hostile = [
    `${'a.'.repeat(500_000)}@`,
    `${'a'.repeat(500_000)}@${'a'.repeat(500_000)}`,
    `a@${'a-'.repeat(300_000)}.com`,
    `a@${'a.'.repeat(300_000)}`,
  ]
  const before = process.threadCpuUsage()
  for (const text of hostile) expect(isEmail(text)).toBe(false)
  // Measures processor time, as the machine may be busy.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000)
})

test.each([
  ['Ada'],
  ['Ada Lovelace'],
  ['Zoë 🙂'],
  ['👩‍👩‍👧 family'],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['José'],
  ['李小龙'],
  ['محمد'],
  ['דוד'],
  ["O'Neill & <b>Sons</b>"],
  [' spaced '],
  ['x'.repeat(64)],
])('accepts the username %s unchanged', name => {
  expect(usernameIn.parse(name)).toBe(name)
})

test.each([
  ['nothing', ''],
  ['blanks', ' \u00a0\u3000'],
  ['a Hangul filler', '\u3164'],
  ['an empty Braille cell', '\u2800\u2800'],
  ['marks without letters', '\u0301\u0301'],
  ['stacked marks', `a${'\u0301'.repeat(5)}`],
  ['a line break', 'Ada\nLovelace'],
  ['a tab', 'Ada\tLovelace'],
  ['NUL', 'Ada\0'],
  ['an escape', '\u001b[31mAda'],
  ['C1 control', 'Ada\u0085'],
  ['a direction override', 'Ada\u202egpj.exe'],
  ['an isolate', '\u2067Ada\u2069'],
  ['a direction mark', 'Ada\u200f'],
  ['a zero-width space', 'Ada\u200b'],
  ['a joiner between letters', 'A\u200dda'],
  ['a soft hyphen', 'A\u00adda'],
  ['a byte order mark', '\ufeffAda'],
  ['a line separator', 'Ada\u2028'],
  ['half a surrogate pair', 'Ada\ud83d'],
  ['a private-use character', 'Ada\ue000'],
  ['tags outside a flag', 'Ada\u{e0041}'],
  ['65 characters', 'x'.repeat(65)],
  ['a number', 7],
  ['null', null],
])('rejects the username %s', (_, name) => {
  expect(isUsername(name)).toBe(false)
})

test('every accepted username is one line that can be stored', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 70 }), name => {
      if (!isUsername(name)) return
      expect(name.isWellFormed()).toBe(true)
      expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      expect(name.trim()).not.toBe('')
      expect(name.length).toBeLessThanOrEqual(64)
    }),
  )
})

test('a code is six ASCII digits as text', () => {
  expect(codeIn.parse('000000')).toBe('000000')
  for (const text of [
    '12345',
    '1234567',
    '12345a',
    ' 123456',
    '123456\n',
    '１２３４５６',
    '٣٣٣٣٣٣',
    '1e5000',
    '-12345',
    123456,
    null,
  ]) {
    expect(codeIn.safeParse(text).success).toBe(false)
  }
})
