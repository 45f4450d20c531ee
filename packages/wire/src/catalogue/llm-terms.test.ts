import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOLD_BUFFER_BASE, HOLD_BUFFER_MAX_BPS, holdBufferIn } from './llm-terms.ts'

const bps = fc.integer({ min: HOLD_BUFFER_BASE, max: HOLD_BUFFER_MAX_BPS })
/** Returns 12345 as "1.2345". */
const decimal = (value: number) =>
  `${Math.floor(value / HOLD_BUFFER_BASE)}.${String(value % HOLD_BUFFER_BASE).padStart(4, '0')}`
const isTaken = (input: unknown) => holdBufferIn.safeParse(input).success

describe('holdBufferMultiplier', () => {
  test('is parsed to the ten-thousandth, as text and as a number', () => {
    fc.assert(
      fc.property(bps, value => {
        const text = decimal(value)
        expect(holdBufferIn.parse(text)).toBe(value)
        expect(holdBufferIn.parse(Number(text))).toBe(value)
        expect(holdBufferIn.parse(text.replace(/\.?0+$/, ''))).toBe(value)
      }),
    )
  })

  test('round-trips as a number', () => {
    fc.assert(
      fc.property(bps, value => {
        const sent = JSON.parse(JSON.stringify(value / HOLD_BUFFER_BASE))
        expect(holdBufferIn.parse(sent)).toBe(value)
      }),
    )
  })

  test('outside 1 to 10 is refused', () => {
    const outside = fc.oneof(
      fc.integer({ min: 0, max: HOLD_BUFFER_BASE - 1 }),
      fc.integer({ min: HOLD_BUFFER_MAX_BPS + 1, max: 10 * HOLD_BUFFER_MAX_BPS }),
    )
    fc.assert(fc.property(outside, value => !isTaken(decimal(value)) && !isTaken(Number(decimal(value)))))
  })

  test('with a fifth decimal is refused, not rounded', () => {
    fc.assert(
      fc.property(bps, fc.integer({ min: 0, max: 9 }), (value, fifth) => {
        expect(isTaken(`${decimal(value)}${fifth}`)).toBe(false)
      }),
    )
    expect(isTaken(1.00001)).toBe(false)
    expect(isTaken(0.1 + 1.1 + 0.1)).toBe(false)
  })

  test('is always an integer from 10,000 to 100,000, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.integer(), fc.anything()), input => {
        const read = holdBufferIn.safeParse(input)
        if (!read.success) return
        expect(Number.isInteger(read.data)).toBe(true)
        expect(read.data).toBeGreaterThanOrEqual(HOLD_BUFFER_BASE)
        expect(read.data).toBeLessThanOrEqual(HOLD_BUFFER_MAX_BPS)
      }),
    )
  })

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '01',
    '1.',
    '.5',
    '1e0',
    '1,2',
    '1.2\n',
    '１',
    'Infinity',
    '1_0',
    true,
    [],
  ])('%j is refused', input => expect(isTaken(input)).toBe(false))
})
