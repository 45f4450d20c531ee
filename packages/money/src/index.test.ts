import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  feeOf,
  formatUsdc,
  InvalidAmountError,
  MAX_USDC,
  minUsdc,
  mulDivCeil,
  mulDivFloor,
  parseUsdc,
  usdc,
} from './index.ts'

const amounts = fc.bigInt({ min: 0n, max: MAX_USDC }).map(usdc)

describe('parsing and formatting amounts', () => {
  test('round-trips every amount', () => {
    fc.assert(fc.property(amounts, amount => parseUsdc(formatUsdc(amount)) === amount))
  })

  test('always writes six decimals', () => {
    fc.assert(fc.property(amounts, amount => /^(0|[1-9]\d*)\.\d{6}$/.test(formatUsdc(amount))))
  })

  test('pads missing decimals with zeros', () => {
    expect(parseUsdc('1.5')).toBe(1_500_000n)
    expect(parseUsdc('7')).toBe(7_000_000n)
    expect(parseUsdc('0.000001')).toBe(1n)
    expect(parseUsdc('999999999999.999999')).toBe(MAX_USDC)
  })

  test('reads a JSON number by its shortest decimal form, less the error of floating-point arithmetic', () => {
    expect(parseUsdc(0.05)).toBe(50_000n)
    expect(parseUsdc(25)).toBe(25_000_000n)
    expect(parseUsdc(0.1 + 0.2)).toBe(300_000n)
    expect(parseUsdc(0.1 * 3)).toBe(300_000n)
    expect(parseUsdc(1.1 + 2.2)).toBe(3_300_000n)
    expect(parseUsdc(0.3 - 0.1)).toBe(200_000n)
  })

  test('reads the sum of two amounts as numbers as the sum of the amounts', () => {
    const cents = fc.integer({ min: 0, max: 1_000_000_000_000 })
    fc.assert(fc.property(cents, cents, (a, b) => parseUsdc(a / 1e6 + b / 1e6) === BigInt(a) + BigInt(b)))
  })

  test('writes a debit in the ledger with its sign', () => {
    expect(formatUsdc(usdc(-1n))).toBe('-0.000001')
    expect(formatUsdc(usdc(-12_000_000n))).toBe('-12.000000')
  })

  test.each([
    '1e3',
    '-0',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '0x1',
    '0.1234567',
    '１',
    '1e400',
    '',
    '.',
    '.5',
    '5.',
    '01',
    '1,5',
    'NaN',
    'Infinity',
    '1_000',
    '1000000000000',
    '1\n',
    '٣',
  ])('rejects %j', text => {
    expect(() => parseUsdc(text)).toThrow(InvalidAmountError)
  })

  test.each([-0, -1, 1e21, 1e-7, 0.1234567, 0.30000001, 1e-300, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects the number %s',
    value => {
      expect(() => parseUsdc(value)).toThrow(InvalidAmountError)
    },
  )

  test('explains what an amount is when it rejects one, and keeps the input', () => {
    const refusal = expect.objectContaining({
      name: 'InvalidAmountError',
      message: expect.stringContaining('at most 12 integer digits and 6 decimals'),
      input: '1e3',
    })
    expect(() => parseUsdc('1e3')).toThrow(refusal)
  })
})

test('minUsdc returns the smaller of two amounts, in either order', () => {
  expect(minUsdc(usdc(1n), usdc(2n))).toBe(1n)
  expect(minUsdc(usdc(2n), usdc(1n))).toBe(1n)
  expect(minUsdc(usdc(2n), usdc(2n))).toBe(2n)
})

describe('rounding', () => {
  const operand = fc.bigInt({ min: 0n, max: 10n ** 18n })
  const divisor = fc.bigInt({ min: 1n, max: 10n ** 12n })

  test('up and down bracket the true quotient within one micro', () => {
    fc.assert(
      fc.property(operand, operand, divisor, (value, numerator, denominator) => {
        const floor = mulDivFloor(value, numerator, denominator)
        const ceil = mulDivCeil(value, numerator, denominator)
        const exact = value * numerator
        expect(floor * denominator <= exact && exact <= ceil * denominator).toBe(true)
        expect(ceil - floor).toBe(exact % denominator === 0n ? 0n : 1n)
      }),
    )
  })

  test.each([
    [1_000_000n, 250, 25_000n],
    [39n, 250, 0n],
    [40n, 250, 1n],
    [999_999n, 10_000, 999_999n],
    [999_999n, 0, 0n],
  ])('the fee of %s at %s basis points is %s, rounded down', (charge, basisPoints, fee) => {
    expect(feeOf(usdc(charge), basisPoints)).toBe(fee)
  })

  test('of zero, or with a zero numerator, is zero', () => {
    expect(mulDivCeil(0n, 5n, 7n)).toBe(0n)
    expect(mulDivCeil(5n, 0n, 7n)).toBe(0n)
    expect(mulDivFloor(5n, 0n, 7n)).toBe(0n)
  })

  test.each([
    [-1n, 1n, 1n],
    [1n, -1n, 1n],
    [1n, 1n, 0n],
    [1n, 1n, -1n],
  ])('%s × %s ÷ %s throws a RangeError that names them', (value, numerator, denominator) => {
    const refusal = new RangeError(`Not a ratio of amounts: ${value} × ${numerator} ÷ ${denominator}`)
    expect(() => mulDivCeil(value, numerator, denominator)).toThrow(refusal)
    expect(() => mulDivFloor(value, numerator, denominator)).toThrow(refusal)
  })
})
