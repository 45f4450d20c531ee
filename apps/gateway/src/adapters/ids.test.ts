import { expect, test } from 'vitest'
import { createIds } from './ids.ts'

test('draws digits evenly in every position', () => {
  const ids = createIds(() => 0)
  const codes = Array.from({ length: 5_000 }, () => ids.digits(6))
  for (const code of codes) expect(code).toMatch(/^[0-9]{6}$/)
  for (let place = 0; place < 6; place += 1) {
    for (let digit = 0; digit <= 9; digit += 1) {
      const count = codes.filter(code => code[place] === String(digit)).length
      // 500 are to be expected; 8 standard deviations are 170.
      expect(Math.abs(count - 500)).toBeLessThan(170)
    }
  }
})
