import { formatUsdc, usdc } from '@farebox/money'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { ownerWith, type Person } from '../kit/world/world.ts'
import { runs } from './runs.ts'

const RUNS = 80
const MICROS = 10n ** 6n

let gateway: TestGateway
let owner: Person
beforeAll(async () => {
  gateway = await startTestGateway({ env: { SPENDING_LIMIT_USDC: '999999999999.999999' } })
  owner = await ownerWith(gateway, '1')
})
afterAll(() => gateway.stop())

const digits = fc.stringMatching(/^\d{0,14}$/)
/** Amounts, and what is nearly one. */
const texts = fc.oneof(
  fc
    .tuple(digits, fc.constantFrom('', '.', '.', ','), fc.stringMatching(/^\d{0,8}$/))
    .map(parts => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('', '-', '+', ' ', '0', '0x', '\u2212', '\u00a0', '\ufeff'),
      digits,
      fc.constantFrom('', ' ', 'e3', 'E-1', '_000', '\n', '\u0000', 'n', ' USDC', '%'),
    )
    .map(parts => parts.join('')),
  fc.constantFrom('٣', '１２', '𝟙', '1٫5', '1e400', 'Infinity', 'NaN', '0x1', '1,000', '００', '²', ''),
)
/** As a JSON string, or bare. */
const amounts = fc.oneof(
  texts.map(text => JSON.stringify(text)),
  texts.filter(text => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)),
)

/**
 * Computes an amount by long-hand; null if it is not one. A bare number is read as the nearest double, without the
 * error that a few operations on doubles leave (8 units of relative rounding).
 */
function microsOf(json: string): bigint | null {
  const value = JSON.parse(json) as string | number
  const text = typeof value === 'string' ? value : textOf(value)
  const [whole = '', decimals = '', ...more] = text.split('.')
  const isDecimal = [...whole, ...decimals].every(digit => digit >= '0' && digit <= '9')
  const isShort = whole.length >= 1 && whole.length <= 12 && decimals.length <= 6
  const isPlain = !(whole.length > 1 && whole.startsWith('0')) && !text.endsWith('.')
  if (!isDecimal || !isShort || !isPlain || more.length > 0) return null
  let micros = 0n
  for (const digit of whole + decimals.padEnd(6, '0')) micros = micros * 10n + BigInt(digit)
  return micros
}

function textOf(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  const isExact = /^\d+(\.\d{1,6})?$/.test(text)
  const rounded = value.toFixed(6)
  return !isExact && Math.abs(Number(rounded) - value) <= Math.abs(value) * 2 ** -49 ? rounded : text
}

test('an amount is read exactly or refused, as text and as a number', async () => {
  let taken = 0
  await fc.assert(
    fc.asyncProperty(amounts, async amount => {
      const micros = microsOf(amount)
      const answer = await fetch(`${gateway.url}/api/v1/credentials/agent/issue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
        body: `{"name":"fuzz","creditLimit":${amount}}`,
      })
      const body = (await answer.json()) as { credential?: { creditLimit: string } }
      if (micros === null) {
        expect([amount, answer.status]).toEqual([amount, 400])
        return
      }
      taken += 1
      expect([amount, answer.status]).toEqual([amount, 200])
      expect(body.credential?.creditLimit).toBe(formatUsdc(usdc(micros)))
      expect(body.credential?.creditLimit.replace('.', '')).toBe(
        `${micros / MICROS}${String(micros % MICROS).padStart(6, '0')}`,
      )
    }),
    runs(RUNS),
  )
  expect(taken).toBeGreaterThan(0)
})
