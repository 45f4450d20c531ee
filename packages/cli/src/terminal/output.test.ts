import { expect, test } from 'vitest'
import { safe } from './output.ts'

test('untrusted text cannot move the cursor or reverse the display, and keeps its emoji', () => {
  expect(safe('a\u001b[2Jb\rc\u202ed\u0007')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFD')
  const plain = 'Zürich\tцена\n👩\u200d🚀 1\u00adUSDC'
  expect(safe(plain)).toBe(plain)
})
