import { expect, test } from 'vitest'
import { type ErrorCode, GatewayError } from './errors.ts'

const left = { remainingUsdc: '0.200000', requiredUsdc: '0.500000' }

test.each<[ErrorCode, Record<string, unknown>, string]>([
  [
    'RATE_LIMITED',
    { limit: 'rpm', rpm: 6, retryAfterSeconds: 9.2 },
    'rpm: this token may make 6 requests a minute. Retry in 10 s.',
  ],
  [
    'RATE_LIMITED',
    { policy: 'searches', quota: 60, windowSeconds: 60, retryAfterSeconds: 1 },
    'The limit searches is 60 requests per minute. Retry in 1 s.',
  ],
  ['RATE_LIMITED', { policy: 'forum-topics', perHour: 10 }, 'The limit forum-topics is 10 an hour.'],
  ['RATE_LIMITED', {}, 'Too many requests.'],
  [
    'BUDGET_EXHAUSTED',
    { limit: 'credential_calls', ...left, maxCalls: 3 },
    'maxCalls: all 3 calls of the credential are used. Its owner can raise maxCalls with PATCH /api/v1/credentials/agent/:id/quota.',
  ],
  [
    'BUDGET_EXHAUSTED',
    { limit: 'credential_credit', ...left, limitUsdc: '5.000000', resetsAt: '2026-11-23T00:00:00.000Z' },
    'creditLimit: the call needs 0.500000 USDC, 0.200000 of 5.000000 USDC are left until 2026-11-23T00:00:00.000Z. Its owner can raise it with PATCH /api/v1/credentials/agent/:id/quota.',
  ],
  [
    'RATE_LIMITED',
    { limit: 'rpm', rpm: 1, retryAfterSeconds: 9 },
    'rpm: this token may make 1 request a minute. Retry in 9 s.',
  ],
  [
    'BUDGET_EXHAUSTED',
    { limit: 'credential_per_call', remainingUsdc: '0.001000', requiredUsdc: '0.010000' },
    'maxCostPerCallUsdc: the call costs 0.010000 USDC; this credential may spend 0.001000 on one call. Send a smaller call, or ask the owner of the credential to raise the cap.',
  ],
  [
    'BUDGET_EXHAUSTED',
    { limit: 'owner_balance', ...left },
    "The owner's balance: the call needs 0.500000 USDC, 0.200000 USDC are left. Deposit USDC.",
  ],
  ['BUDGET_EXHAUSTED', {}, 'The budget does not allow this call.'],
  ['UPSTREAM_ERROR', { reason: 'status' }, 'The provider returned an error.'],
  ['UPSTREAM_ERROR', { reason: 'timeout' }, 'The provider did not answer in time.'],
  ['UPSTREAM_ERROR', { reason: 'reset' }, 'The provider closed the connection.'],
  ['UPSTREAM_ERROR', {}, 'The provider returned an error.'],
])('%s with %j says: %s', (code, context, message) => {
  expect(new GatewayError(code, context).message).toBe(message)
})

test('an explicit message takes precedence', () => {
  expect(new GatewayError('RATE_LIMITED', { policy: 'x' }, { message: 'Own.' }).message).toBe('Own.')
})
