import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAmount } from '../src/ui/values/read-amount.ts'
import { formatShare, shareOf } from '../src/ui/values/shares.ts'

test('a cap of which anything is used is not shown as unused', () => {
  expect(formatShare(shareOf('0.020127', '1000'))).toBe('<0.1%')
  expect(formatShare(shareOf('999.999999', '1000'))).toBe('99.9%')
  expect([shareOf('0', '5'), shareOf('5', '5'), shareOf('0', '0')]).toEqual([0, 1, 1])
})

test.each([
  [0, '0%'],
  [1e-9, '<0.1%'],
  [0.000_999_9, '<0.1%'],
  [0.001, '0.1%'],
  [0.283, '28.3%'],
  [0.5, '50%'],
  [0.9999, '99.9%'],
  [0.999_999_999, '99.9%'],
  [1, '100%'],
  [5, '500%'],
])('formats the share %d as %s', (share, shown) => {
  expect(formatShare(share)).toBe(shown)
})

test('shows every share of counts rounded down, 0% for none only and 100% for all only', () => {
  const counts = fc.integer({ min: 1, max: 1_000_000 }).chain(all => fc.tuple(fc.nat(all), fc.constant(all)))
  fc.assert(
    fc.property(counts, ([part, all]) => {
      const tenths = Math.floor((part * 1_000) / all)
      const shown = part > 0 && tenths === 0 ? '<0.1%' : `${tenths / 10}%`
      expect(formatShare(part / all)).toBe(shown)
      expect([shown === '0%', shown === '100%']).toEqual([part === 0, part === all])
    }),
  )
})

test.each(['1,500', '1,5', '0,500', '1,500,000', '1.500,00', '1,50.0'])(
  'an amount typed as %s, which can be read in two ways, is refused with both',
  typed => {
    expect(readAmount(typed)).toEqual({ error: expect.stringContaining('1500 or 1.5') })
  },
)

test.each([
  ['1,500.00', 1_500_000_000n],
  ['1,204,000.5', 1_204_000_500_000n],
  ['1500', 1_500_000_000n],
  ['.50', 500_000n],
])('an amount typed as %s is read', (typed, amount) => {
  expect(readAmount(typed)).toEqual({ amount })
})
