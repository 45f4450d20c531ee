import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const box = createSecretBox('11'.repeat(32))
const other = createSecretBox('22'.repeat(32))

test('opens a sealed text with the same key and context only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, context) => {
      const sealed = box.seal(text, context)
      expect(box.open(sealed, context)).toBe(text)
      expect(() => box.open(sealed, `${context}x`)).toThrow()
      expect(() => other.open(sealed, context)).toThrow()
    }),
  )
})

test('returns the same digest for the same text, context and key only', () => {
  const word = fc.string({ maxLength: 5 })
  fc.assert(
    fc.property(word, word, word, word, (text, context, otherText, otherContext) => {
      const digest = box.digest(text, context)
      expect(digest).toHaveLength(32)
      const isSame = text === otherText && context === otherContext
      expect(box.digest(otherText, otherContext).equals(digest)).toBe(isSame)
      expect(other.digest(text, context).equals(digest)).toBe(false)
    }),
  )
  expect(box.digest('bc', 'a').equals(box.digest('c', 'ab'))).toBe(false)
  expect(createSecretBox(`0x${'11'.repeat(32)}`).digest('a', 'b')).toEqual(box.digest('a', 'b'))
})
