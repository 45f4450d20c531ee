import { errorTable } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { explainRefusal, type Refusal } from './mcp-error-rules.ts'

function explain(code: Refusal['code'], detail: Record<string, unknown> = {}): string {
  return explainRefusal({ code, message: 'The standing message.', detail }, 'echo')
}

test('explains every error code, with no undefined value in the text', () => {
  const detail = {
    limit: 'a new limit',
    remainingUsdc: '0.1',
    requiredUsdc: '0.2',
    currentPriceUsdc: '0.2',
    expectedPriceUsdc: null,
    requiredHoldUsdc: '2',
    maxAutoHoldUsdc: '1',
    affordableMaxTokens: 7,
    reason: 'reset',
  }
  for (const code of Object.keys(errorTable) as Refusal['code'][]) {
    const text = explain(code, detail)
    expect(text.startsWith(`${code}: `)).toBe(true)
    expect(text).not.toMatch(/undefined|null|\[object/)
  }
})

describe('an exhausted budget', () => {
  test.each([
    ['credential_credit', 'creditLimit'],
    ['policy_per_call', 'perCallLimitUsdc'],
    ['policy_daily', 'dailyLimitUsdc'],
    ['policy_monthly', 'spendingLimitUsdc'],
    ['owner_balance', 'deposit'],
  ])('%s: states the remaining amount, the required amount and the remedy', (limit, remedy) => {
    const text = explain('BUDGET_EXHAUSTED', { limit, remainingUsdc: '0.002000', requiredUsdc: '0.010000' })
    expect(text).toContain('has 0.002000 USDC left, the call needs up to 0.010000. Nothing was charged.')
    expect(text).toContain('Ask the owner')
    expect(text).toContain(remedy)
  })
})

describe('advice after a provider failure', () => {
  test.each([
    ['FAILED_RETRYABLE', 'Call again with a new idempotency key.'],
    ['FAILED_FINAL', 'Call again only with other arguments.'],
    ['PROCESSING', 'Do not call again before: the call may still be charged.'],
  ])('%s: %s', (status, advice) => {
    const text = explain('UPSTREAM_ERROR', { reason: 'timeout', status, invocationId: 'inv_1' })
    expect(text).toContain('The provider returned no usable answer (timeout).')
    expect(text.endsWith(advice)).toBe(true)
    expect(text.includes('Nothing was charged')).toBe(status !== 'PROCESSING')
  })
})

test('invalid members are named by their path in the tool call, at most ten', () => {
  const issues = [
    { path: 'payload.body.city', message: 'must be string' },
    { path: 'payload.query', message: 'Too many query parameters.' },
    { path: 'maxCostUsdc', message: 'Must be an amount.' },
    { path: 'payload.body', message: "must have required property 'id'" },
  ]
  expect(explain('INVALID_PAYLOAD', { issues })).toContain(
    'arguments.city must be string; _meta["farebox/query"]: Too many query parameters; ' +
      '_meta["farebox/maxCostUsdc"]: Must be an amount; arguments must have required property \'id\'. Nothing',
  )
  const unknown = [{ path: 'payload.body', message: 'Unknown member "serviceId". Did you mean "service"?' }]
  expect(explain('INVALID_PAYLOAD', { issues: unknown })).toContain('Did you mean "service"? Nothing')
  const many = Array.from({ length: 30 }, () => ({ path: 'payload.body', message: 'no' }))
  expect(explain('INVALID_PAYLOAD', { issues: many })).toContain('and 20 more')
})
