import { expect, test } from 'vitest'
import { endingOf } from './priced-call.ts'

const job = { isPaid: true, price: '0.000100' }
const paid = (number: number, chargedUsdc = job.price) =>
  JSON.stringify({ status: 'SUCCEEDED', chargedUsdc, result: { number } })

test('accepts a good answer to exactly this call, charged as agreed', () => {
  expect(endingOf(job, 7, { status: 200, text: paid(7) })).toEqual({ end: 'good' })
})

test('reads from a shed after how many seconds to retry', () => {
  const answer = { status: 503, text: '{"code":"UNAVAILABLE"}', retryAfter: '2' }
  expect(endingOf(job, 7, answer)).toEqual({ end: 'shed', retryAfterMs: 2_000 })
})

test.each([
  ["another call's answer", { status: 200, text: paid(8) }],
  ['a micro too much', { status: 200, text: paid(7, '0.000101') }],
  ['a 503 without Retry-After', { status: 503, text: '' }],
  ['a 503 with a Retry-After of zero', { status: 503, text: '', retryAfter: '0' }],
  ['a rate limit', { status: 429, text: '', retryAfter: '1' }],
  ['a failure of the provider', { status: 502, text: '', retryAfter: '1' }],
])('rejects %s', (_, answer) => {
  expect(endingOf(job, 7, answer)).toMatchObject({ end: 'wrong', why: expect.stringMatching(/^\d{3}/) })
})
