import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Metering } from './metering-rules.ts'
import { endOf, type ProviderOutcome, type RelayedStream } from './settle-rules.ts'
import type { Usage } from './usage-rules.ts'

const INVOCATION = 'inv_1'
const HOLD = usdc(1_000n)
const METERING: Metering = {
  inputPricePer1M: usdc(1_000_000n),
  outputPricePer1M: usdc(2_000_000n),
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
  maxInputTokens: 1_000,
  maxOutputTokens: 1_000,
  preAuthMode: 'auto',
  isStreamed: true,
}
const fixed = { invocationId: INVOCATION, hold: HOLD, metering: null }
const metered = { invocationId: INVOCATION, hold: HOLD, metering: METERING }
const UNCACHED = { cacheReadTokens: 0, cacheWriteTokens: 0 }
const USAGE: Usage = { inputTokens: 10, outputTokens: 20, totalTokens: 30, ...UNCACHED }

const streamed = (end: RelayedStream['end'], usage: Usage | null = null): ProviderOutcome => ({
  kind: 'streamed',
  stream: {
    end,
    usage,
    recording: { events: Buffer.alloc(0), isWhole: end === 'whole' },
    responseHash: 'ff',
  },
})
const answered = (result: unknown, isEmbedding = false): ProviderOutcome => ({
  kind: 'answered',
  resultText: JSON.stringify(result),
  result,
  isEmbedding,
  responseHash: 'ff',
})
const failed = (reason: string, isBegun: boolean): ProviderOutcome => ({
  kind: 'failed',
  failure: { status: 'FAILED_RETRYABLE', error: new GatewayError('UPSTREAM_ERROR', { reason }) },
  isBegun,
})
const reasonOf = (end: ReturnType<typeof endOf>) => ('error' in end ? end.error.context.reason : null)

describe('a call with a fixed price', () => {
  test.each([
    ['answered', answered({ ok: true })],
    ['streamed to its end', streamed('whole')],
  ])('costs its price when it was %s', (_, outcome) => {
    expect(endOf(fixed, outcome)).toMatchObject({ status: 'SUCCEEDED', charge: HOLD, metered: null })
  })

  test('is free when its stream is cut', () => {
    const end = endOf(fixed, streamed('cut'))
    expect(end).toMatchObject({ status: 'FAILED_FINAL' })
    expect(reasonOf(end)).toBe('stream_cut')
  })

  test('costs its price when its caller disconnects after content', () => {
    const cut = streamed('cut')
    if (cut.kind !== 'streamed') throw new Error('It is a stream.')
    const owed: ProviderOutcome = { ...cut, stream: { ...cut.stream, isOwed: true } }
    expect(endOf(fixed, owed)).toMatchObject({ status: 'SUCCEEDED', charge: HOLD, metered: null })
  })

  test.each([true, false])('is free when it fails, whether or not a response had begun (%s)', isBegun => {
    expect(endOf(fixed, failed('timeout', isBegun))).toMatchObject({ status: 'FAILED_RETRYABLE' })
  })

  test('never waits for usage', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<RelayedStream['end']>('whole', 'silent', 'cut').map(end => streamed(end)),
        outcome => {
          expect(endOf(fixed, outcome).status).not.toBe('PROCESSING')
        },
      ),
    )
  })
})

describe('a metered call', () => {
  test('with usage is charged for it, however its stream ended', () => {
    for (const end of ['whole', 'silent', 'cut'] as const) {
      expect(endOf(metered, streamed(end, USAGE))).toMatchObject({
        status: 'SUCCEEDED',
        charge: 50n,
        metered: { usage: USAGE, cost: 50n, reportedBy: null },
        resultText: 'null',
      })
    }
  })

  test('with usage in a non-streamed response is charged for it', () => {
    const result = { usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }
    expect(endOf(metered, answered(result))).toMatchObject({
      status: 'SUCCEEDED',
      charge: 50n,
      resultText: JSON.stringify({ usage: { ...result.usage, cost: 0.00005 } }),
    })
  })

  test('without output, such as embeddings, is charged for its input tokens alone', () => {
    const embedding = { ...metered, metering: { ...METERING, maxOutputTokens: 0 } }
    const result = { object: 'list', data: [], usage: { prompt_tokens: 10, total_tokens: 10 } }
    for (const call of [embedding, metered])
      expect(endOf(call, answered(result, true))).toMatchObject({ charge: 10n })
    expect(reasonOf(endOf(metered, answered(result)))).toBe('usage_missing')
  })

  test('with output of embeddings is charged for what was held of it', () => {
    const result = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }
    for (const [maxOutputTokens, charge] of [
      [0, 10n],
      [100, 20n],
    ] as const) {
      const embedding = { ...metered, metering: { ...METERING, maxOutputTokens } }
      expect(endOf(embedding, answered(result, true))).toMatchObject({ charge })
    }
  })

  test('that costs more than its hold is charged the hold, and records the full cost', () => {
    const usage = { inputTokens: 1_000, outputTokens: 1_000, totalTokens: 2_000, ...UNCACHED }
    expect(endOf(metered, streamed('whole', usage))).toMatchObject({
      charge: HOLD,
      metered: { cost: 3_000n },
    })
  })

  test('fails without a charge or awaiting usage when its response is too large', () => {
    expect(endOf(metered, failed('too_large', true))).toMatchObject({ status: 'FAILED_RETRYABLE' })
  })

  test.each([
    ['a cut stream', streamed('cut'), 'stream_cut', 'null'],
    ['a stream in good order', streamed('whole'), 'usage_missing', 'null'],
    ['a stream that just ended', streamed('silent'), 'usage_missing', 'null'],
    ['a whole answer', answered({ choices: [] }), 'usage_missing', '{"choices":[]}'],
    ['an answer that broke off', failed('reset', true), 'usage_missing', null],
    ['an answer that took too long', failed('timeout', true), 'usage_missing', null],
    ['an answer that was no JSON', failed('invalid_json', true), 'invalid_json', null],
  ])('without usage in %s stays PROCESSING and keeps its hold', (_, outcome, reason, pendingResult) => {
    const end = endOf(metered, outcome)
    expect(end).toMatchObject({ status: 'PROCESSING', pendingResult })
    expect(reasonOf(end)).toBe(reason)
    expect(end).not.toHaveProperty('charge')
  })

  test('is released when no successful response had begun', () => {
    expect(endOf(metered, failed('connect', false))).toMatchObject({ status: 'FAILED_RETRYABLE' })
  })

  test('is never charged more than its hold, whatever usage a provider reports', () => {
    const count = fc.oneof(
      fc.nat(),
      fc.double(),
      fc.constantFrom(-1, Number.MAX_SAFE_INTEGER, null, 'NaN', '7', true),
    )
    const block = fc.record(
      { prompt_tokens: count, completion_tokens: count, total_tokens: count, input_tokens: count },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(block, fc.bigInt(0n, 10_000n), (usage, hold) => {
        const end = endOf({ ...metered, hold: usdc(hold) }, answered({ usage }))
        if (end.status !== 'SUCCEEDED') {
          expect(end.status).toBe('PROCESSING')
          return
        }
        expect(end.charge).toBeGreaterThanOrEqual(0n)
        expect(end.charge).toBeLessThanOrEqual(hold)
      }),
      { numRuns: 500 },
    )
  })
})
