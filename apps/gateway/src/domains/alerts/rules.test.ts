import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BudgetUse, balanceAlerts, budgetAlerts, failureAlerts, isFailing } from './rules.ts'

const watch = (seen: bigint, ...posted: bigint[]) =>
  balanceAlerts({
    owner: '0xa',
    threshold: usdc(100n),
    seen,
    balances: posted.map(each => ({ posted: each, reserved: 5n })),
  })

describe('balanceAlerts', () => {
  test('returns one alert each time the balance falls below the threshold', () => {
    expect(watch(150n, 120n, 100n)).toEqual([])
    expect(watch(150n, 99n, 98n)).toMatchObject([
      {
        type: 'balance.low',
        data: { balanceUsdc: '0.000099', availableUsdc: '0.000094', heldUsdc: '0.000005' },
      },
    ])
    expect(watch(150n, 99n, 101n, 98n)).toHaveLength(2)
    expect(watch(99n, 98n)).toEqual([])
  })

  test('returns as many alerts wherever the balances are cut in two', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 200n), { minLength: 1 }), fc.nat(), (posted, at) => {
        const cut = at % posted.length
        const [first, second] = [posted.slice(0, cut), posted.slice(cut)]
        const parts = [...watch(150n, ...first), ...watch(first.at(-1) ?? 150n, ...second)]
        expect(parts).toEqual(watch(150n, ...posted))
      }),
    )
  })
})

const use: BudgetUse = {
  owner: '0xa',
  credentialId: 'cred_1',
  maxCalls: null,
  creditLimit: 1_000n,
  callsUsed: 7n,
  spent: 0n,
  resetInterval: 'daily',
  intervalStart: new Date('2026-11-21T00:00:00Z'),
  isRefused: false,
  percents: [80, 100],
}
const percentsOf = (more: Partial<BudgetUse>) =>
  budgetAlerts({ ...use, ...more }).map(({ data }) => 'percent' in data && data.percent)
const keysOf = (more: Partial<BudgetUse>) =>
  budgetAlerts({ ...use, spent: 800n, ...more }).map(({ onceKey }) => onceKey)

describe('budgetAlerts', () => {
  test.each([
    [799n, []],
    [800n, [80]],
    [999n, [80]],
    [1_000n, [80, 100]],
  ])('returns the thresholds reached with %s of 1,000 spent', (spent, percents) => {
    expect(percentsOf({ spent })).toEqual(percents)
  })

  test('returns only percents that are watched, and none without a limit', () => {
    expect(percentsOf({ spent: 1_000n, percents: [100] })).toEqual([100])
    expect(percentsOf({ spent: 1_000n, creditLimit: null })).toEqual([])
    expect(percentsOf({ spent: 0n, creditLimit: 0n })).toEqual([])
  })

  test('counts calls too, and a refusal for want of credit as used up', () => {
    expect(percentsOf({ creditLimit: null, maxCalls: 8n })).toEqual([80])
    expect(percentsOf({ creditLimit: null, maxCalls: 7n })).toEqual([80, 100])
    expect(percentsOf({ isRefused: true, percents: [100] })).toEqual([100])
  })

  test('returns only 100% for a refusal, whatever was spent', () => {
    for (const spent of [670n, 900n]) expect(percentsOf({ isRefused: true, spent })).toEqual([100])
  })

  test('has the same key until the interval or the limit changes', () => {
    expect(keysOf({ spent: 900n })).toEqual(keysOf({}))
    expect(keysOf({ intervalStart: new Date('2026-11-22T00:00:00Z') })).not.toEqual(keysOf({}))
    expect(keysOf({ creditLimit: 900n })).not.toEqual(keysOf({}))
    const calls = { creditLimit: null, maxCalls: 8n }
    expect(keysOf({ ...calls, intervalStart: new Date('2026-11-22T00:00:00Z') })).toEqual(keysOf(calls))
  })

  test('is permanent if the limit never resets', () => {
    const [daily] = budgetAlerts({ ...use, spent: 800n })
    const [never] = budgetAlerts({ ...use, spent: 800n, resetInterval: 'never' })
    expect([daily?.isLasting, never?.isLasting]).toEqual([false, true])
  })
})

describe('failureAlerts', () => {
  const rate = { owner: '0xa', calls: 10, failures: 6, percent: 50, minCalls: 10, isFailing: false }

  test('returns an alert above the limit, from the number of calls', () => {
    expect(failureAlerts(rate)).toMatchObject([
      { type: 'failure_rate.high', data: { calls: 10, failures: 6 } },
    ])
    expect(failureAlerts({ ...rate, failures: 5 })).toEqual([])
    expect(failureAlerts({ ...rate, calls: 9, failures: 9 })).toEqual([])
  })

  test('returns none while the rate stays above it', () => {
    expect(failureAlerts({ ...rate, isFailing: true })).toEqual([])
    expect(isFailing({ ...rate, isFailing: true })).toBe(true)
  })
})
