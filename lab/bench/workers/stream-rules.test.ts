import { expect, test } from 'vitest'
import { problemOf } from './stream-rules.ts'

const job = {
  isPaid: true,
  chargedUsdc: '0.000019',
  script: { chunks: 2, paceMs: 0, inputTokens: 5, outputTokens: 2 },
}
const chunk = (number: number) => `data: {"choices":[{"delta":{"content":" fare"}}],"n":${number}}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5}}\n\n'
const bill = (chargedUsdc: string) =>
  `event: gateway\ndata: ${JSON.stringify({
    invocationId: 'inv_1',
    status: 'SUCCEEDED',
    chargedUsdc,
    usage: { inputTokens: 5, outputTokens: 2 },
  })}\n\n`
const done = 'data: [DONE]\n\n'
const whole = chunk(0) + chunk(1) + usage + bill('0.000019') + done

test('a complete stream has every chunk, its bill and its end; a direct one has no bill', () => {
  expect(problemOf({ status: 200, text: whole }, job)).toBeNull()
  const direct = { status: 200, text: chunk(0) + chunk(1) + usage + done }
  expect(problemOf(direct, { ...job, isPaid: false })).toBeNull()
})

test.each([
  ['lacks a chunk', chunk(0) + usage + bill('0.000019') + done],
  ['has its chunks out of order', chunk(1) + chunk(0) + usage + bill('0.000019') + done],
  ['has no bill', chunk(0) + chunk(1) + usage + done],
  ['is billed a micro too much', chunk(0) + chunk(1) + usage + bill('0.000020') + done],
  ['has no end', chunk(0) + chunk(1) + usage + bill('0.000019')],
  ['continues after its end', `${whole}data: {`],
])('counts a stream that %s as lost', (_, text) => {
  expect(problemOf({ status: 200, text }, job)).toEqual(expect.any(String))
})

test('counts a refused stream as lost', () => {
  expect(problemOf({ status: 503, text: whole }, job)).toMatch(/^503 /)
})
