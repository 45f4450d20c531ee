import { usdc } from '@farebox/money'
import { RESET_INTERVALS } from '@farebox/wire/intervals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCapture, maskKey } from './rules.ts'

test('a mask keeps four characters at each end', () => {
  expect(maskKey(`psk_ab12${'x'.repeat(41)}9XyZ`)).toBe('psk_ab12…9XyZ')
})

test('captures in an interval never exceed the limit, in any sequence', () => {
  const steps = fc.array(
    fc.record({
      amount: fc.bigInt({ min: 0n, max: 60n }),
      pauseMs: fc.integer({ min: 0, max: 40 * 86_400_000 }),
    }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...RESET_INTERVALS),
      fc.bigInt({ min: 0n, max: 100n }),
      steps,
      (resetInterval, cap, all) => {
        const creditLimit = usdc(cap)
        let at = Date.UTC(2026, 0, 1)
        let captures = { captured: usdc(0n), intervalStart: new Date(0) }
        const sums = new Map<number, bigint>()
        for (const { amount, pauseMs } of all) {
          at += pauseMs
          const outcome = addCapture({ ...captures, creditLimit, resetInterval }, usdc(amount), new Date(at))
          if ('remaining' in outcome) {
            expect(outcome.remaining).toBeLessThan(amount)
            continue
          }
          captures = outcome
          const start = outcome.intervalStart.getTime()
          sums.set(start, (sums.get(start) ?? 0n) + amount)
        }
        for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(cap)
      },
    ),
  )
})
