import { expect, test } from 'vitest'
import type { StreamPlan } from '../messages.ts'
import { judge } from './stream-caller.ts'
import { createStreamReader } from './stream-reader.ts'

const plan = (cutAfter: number | null = null): StreamPlan => ({
  target: 0,
  leaveAfter: null,
  chargedUsdc: '0.000019',
  script: { chunks: 2, paceMs: 0, inputTokens: 5, outputTokens: 2, cutAfter },
})
const chunk = (number: number) =>
  `data: {"choices":[{"delta":{"content":" fare"}}],"n":${number},"at":${1_000 + number}.5}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5}}\n\n'
const bill = (chargedUsdc: string) =>
  `event: gateway\ndata: ${JSON.stringify({
    invocationId: 'inv_1',
    status: 'SUCCEEDED',
    chargedUsdc,
    usage: { inputTokens: 5, outputTokens: 2 },
  })}\n\n`
const done = 'data: [DONE]\n\n'
const cut = `event: error\ndata: ${JSON.stringify({
  code: 'UPSTREAM_ERROR',
  detail: { reason: 'stream_cut', status: 'PROCESSING', invocationId: 'inv_1' },
})}\n\n`
const whole = chunk(0) + chunk(1) + usage + bill('0.000019') + done

/** A reader that has read a text in pieces of so many characters. */
function read(text: string, size = text.length) {
  const seen = { first: 0, times: [] as number[] }
  const reader = createStreamReader({
    first: () => {
      seen.first += 1
    },
    chunk: at => seen.times.push(at),
  })
  for (let from = 0; from < text.length; from += size) reader.push(text.slice(from, from + size))
  return { reader, seen }
}

test.each([1, 7, 1_000])('a whole stream is read alike in pieces of %i characters', size => {
  const { reader, seen } = read(whole, size)
  expect(seen).toEqual({ first: 1, times: [1_000.5, 1_001.5] })
  expect(judge(reader, { plan: plan(), isPaid: true, problem: null })).toEqual({
    end: 'whole',
    why: null,
    invocationId: 'inv_1',
  })
})

test.each([
  ['lacks a chunk', chunk(0) + usage + bill('0.000019') + done],
  ['has its chunks out of order', chunk(1) + chunk(0) + usage + bill('0.000019') + done],
  ['has no bill', chunk(0) + chunk(1) + usage + done],
  ['is billed a micro too much', chunk(0) + chunk(1) + usage + bill('0.000020') + done],
  ['has no end', chunk(0) + chunk(1) + usage + bill('0.000019')],
  ['says more after its end', `${whole}data: {`],
  ['was broken off', chunk(0) + cut],
])('a stream that %s is lost', (_, text) => {
  expect(judge(read(text).reader, { plan: plan(), isPaid: true, problem: null }).end).toBe('lost')
})

test('a stream whose connection breaks is lost, however much of it came', () => {
  expect(
    judge(read(whole).reader, { plan: plan(), isPaid: true, problem: 'other side closed' }),
  ).toMatchObject({ end: 'lost', why: 'other side closed, after 2 chunks' })
})

test('a direct stream has no bill', () => {
  const { reader } = read(chunk(0) + chunk(1) + usage + done)
  expect(judge(reader, { plan: plan(), isPaid: false, problem: null }).end).toBe('whole')
})

test('a stream that the model cuts must say so, and must not look whole', () => {
  const judged = (text: string) => judge(read(text).reader, { plan: plan(1), isPaid: true, problem: null })
  expect(judged(chunk(0) + cut)).toEqual({ end: 'cut', why: null, invocationId: 'inv_1' })
  expect(judged(chunk(0)).end).toBe('lost')
  expect(judged(chunk(0) + cut + done).end).toBe('lost')
  expect(judged(chunk(0) + cut.replace('PROCESSING', 'SUCCEEDED')).end).toBe('lost')
})
