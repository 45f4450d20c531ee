import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { createPatternCompiler, StepBudgetError } from './linear-pattern.ts'

const compile = (pattern: string, steps = 1_000_000) => createPatternCompiler({ left: steps })(pattern)
const finds = (pattern: string, text: string) => compile(pattern).test(text)
/** Returns what JavaScript's engine says; null when it takes too long: it backtracks, for hours on some patterns. */
function builtInFinds(source: string, subject: string): boolean | null {
  try {
    return runInNewContext('new RegExp(source, "u").test(subject)', { source, subject }, { timeout: 200 })
  } catch (error) {
    // The error is of the other context: no instance of this one's Error.
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  }
}

describe('a pattern matches what the JavaScript engine matches', () => {
  const literal = fc.constantFrom(
    'a',
    'b',
    '-',
    '😀',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\.',
    '\\u0061',
    '\\x62',
    '\\p{L}',
  )
  const atom = fc.oneof(
    literal,
    fc.constantFrom('[ab]', '[^a]', '[a-z0-9]', '[\\]\\-]', '[😀-😎]', '^', '$', '\\b'),
  )
  const quantified = fc
    .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '{1,3}?'))
    .map(([part, quantifier]) => (/^(?:\^|\$|\\[bB])$/.test(part) ? part : part + quantifier))
  const { pattern } = fc.letrec<{ pattern: string; group: string }>(tie => ({
    group: fc
      .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{0,3}'))
      .map(([start, inner, quantifier]) => `${start}${inner})${quantifier}`),
    pattern: fc
      .array(
        fc
          .array(fc.oneof({ maxDepth: 2 }, quantified, tie('group')), { maxLength: 3 })
          .map(parts => parts.join('')),
        { minLength: 1, maxLength: 2 },
      )
      .map(branches => branches.join('|')),
  }))
  const text = fc.array(fc.constantFrom('a', 'b', '-', '0', ' ', '\n', '😀', '😅', 'é', '_'), {
    maxLength: 10,
  })

  test('for random patterns and texts', () => {
    fc.assert(
      fc.property(pattern, text, (source, characters) => {
        const subject = characters.join('')
        fc.pre(source.length <= 60)
        const found = finds(source, subject)
        const expected = builtInFinds(source, subject)
        fc.pre(expected !== null)
        expect(found).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$', 'someone@mail.example.com'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31'],
    ['^(?:0x)?[0-9a-fA-F]{40}$', '0x52908400098527886E0F7030069857D2E4169EE7'],
    ['^(\\+\\d{1,3})?[ -]?\\d{3,14}$', '+49 30123456'],
    ['\\u{1F600}', 'smile 😀'],
    ['[[]', '['],
    ['(?<year>\\d{4})', '2026'],
    ['^\\B.\\B-$', '--'],
    ['^$', ''],
    ['', 'anything'],
    ['a|', 'b'],
  ])('%s', (source, subject) => {
    expect(finds(source, subject)).toBe(true)
    expect(new RegExp(source, 'u').test(subject)).toBe(true)
    expect(finds(source, `${subject}\n!`)).toBe(new RegExp(source, 'u').test(`${subject}\n!`))
  })
})

describe('a pattern with catastrophic backtracking runs quickly', () => {
  test.each([
    ['^(a+)+$', `${'a'.repeat(5_000)}!`],
    ['^(a|a)*$', `${'a'.repeat(5_000)}!`],
    ['^(a|aa)+$', `${'a'.repeat(5_000)}!`],
    ['(x+x+)+y', 'x'.repeat(5_000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(5_000)],
    ['a*a*a*a*a*a*b', 'a'.repeat(5_000)],
    ['(?:a?){30}a{30}', 'a'.repeat(29)],
  ])('%s', (source, subject) => {
    const spent = processorMs(() => {
      expect(finds(source, subject)).toBe(false)
    })
    expect(spent).toBeLessThan(500)
  })

  test('or stops when its step limit is reached', () => {
    const pattern = compile('b', 1_000)
    expect(() => pattern.test('a'.repeat(10_000))).toThrow(StepBudgetError)
  })
})

describe('a pattern is rejected', () => {
  test.each([
    ['(', 'not a regular expression'],
    ['[z-a]', 'not a regular expression'],
    ['\\-', 'not a regular expression'],
    ['(?=a)b', 'Look-around'],
    ['(?!a)b', 'Look-around'],
    ['(?<=a)b', 'Look-around'],
    ['(?<!a)b', 'Look-around'],
    ['(?i:a)', 'Look-around and flags'],
    ['(a)\\1', 'Back-references'],
    ['(?<n>a)\\k<n>', 'Back-references'],
    ['a'.repeat(1_001), 'too long'],
    ['a{2001}', 'too large'],
    ['(?:(?:a{100}){100}){100}', 'too large'],
    ['(?:(?:(?:){1000000}){1000000}){1000000}', 'too large'],
    ['(?:){0,1000000000}', 'too large'],
    [`${'('.repeat(60)}a${')'.repeat(60)}`, 'nested too deep'],
  ])('%.40s: %s', (source, reason) => {
    const spent = processorMs(() => {
      expect(() => compile(source)).toThrow(reason)
    })
    expect(spent).toBeLessThan(500)
  })
})
