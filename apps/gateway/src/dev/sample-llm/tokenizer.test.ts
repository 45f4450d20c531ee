import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../../test/kit/code-point.ts'
import { processorMs } from '../../../test/kit/processor-time.ts'
import { loadTokenizer } from './tokenizer.ts'

test('splits any text into pieces that join to the text and its count', async () => {
  const { count, pieces } = await loadTokenizer()
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: codePoint }),
    fc.array(fc.constantFrom('tide ', '船', '🛶', '<|endoftext|>', '\n\n', 'é', '  '), { maxLength: 80 }),
  )
  fc.assert(
    fc.property(text, given => {
      const whole = Array.isArray(given) ? given.join('') : given
      const cut = pieces(whole)
      expect(cut.map(piece => piece.text).join('')).toBe(whole)
      expect(cut.reduce((sum, piece) => sum + piece.tokens, 0)).toBe(count(whole))
    }),
  )
})

test('counts known texts as o200k_base does', async () => {
  const { count } = await loadTokenizer()
  expect(count('')).toBe(0)
  expect(count('hello world')).toBe(2)
  expect(count('antidisestablishmentarianism')).toBe(6)
})

test('counts a million characters without a break quickly', async () => {
  const { count } = await loadTokenizer()
  const spent = processorMs(() => {
    expect(count('x'.repeat(1_000_000))).toBeGreaterThan(10_000)
    expect(count(' '.repeat(1_000_000))).toBeGreaterThan(1_000)
  })
  expect(spent).toBeLessThan(5_000)
})
