import { GatewayError } from '@farebox/wire/errors'
import { expect, test } from 'vitest'
import type { ProviderOutcome, RelayedStream } from '../pricing/settle-rules.ts'
import { failureOnTheWay, type InvocationStatus } from '../rules.ts'
import { verdictOn } from './verdict-rules.ts'

const answered: ProviderOutcome = { kind: 'answered', resultText: '{}', result: {}, responseHash: '' }
const streamed = (end: RelayedStream['end'], isProvidersFault = false): ProviderOutcome => ({
  kind: 'streamed',
  stream: {
    end,
    usage: null,
    responseHash: '',
    isProvidersFault,
    recording: { events: Buffer.alloc(0), isWhole: false },
  },
})
const failed = (reason: string, upstreamStatus?: number): ProviderOutcome => ({
  kind: 'failed',
  isBegun: false,
  failure: { status: 'FAILED_FINAL', error: new GatewayError('UPSTREAM_ERROR', { reason, upstreamStatus }) },
})
const unasked: ProviderOutcome = {
  kind: 'failed',
  isBegun: false,
  failure: failureOnTheWay({ reason: 'connect', answered: false, isCrowded: true }, {}),
}
const stopped: ProviderOutcome = {
  kind: 'failed',
  isBegun: false,
  failure: { status: 'FAILED_RETRYABLE', error: new GatewayError('GATEWAY_INTERRUPTED') },
}

test.each<[string, ProviderOutcome, InvocationStatus, 'good' | 'bad' | null]>([
  ['a good answer', answered, 'SUCCEEDED', 'good'],
  ['a whole stream', streamed('whole'), 'SUCCEEDED', 'good'],
  ['a stream that was cut after its usage', streamed('cut', true), 'SUCCEEDED', 'good'],
  ['an answer of a model without its usage', answered, 'PROCESSING', 'bad'],
  ['a stream without its usage', streamed('silent'), 'PROCESSING', 'bad'],
  ['a stream that the provider cut', streamed('cut', true), 'PROCESSING', 'bad'],
  ['a stream that we cut', streamed('cut'), 'PROCESSING', null],
  ['a refused connection', failed('connect'), 'FAILED_RETRYABLE', 'bad'],
  ['a timeout', failed('timeout'), 'FAILED_RETRYABLE', 'bad'],
  ['what is no JSON', failed('invalid_json'), 'FAILED_FINAL', 'bad'],
  ['no healthy target', failed('no_healthy_target'), 'FAILED_RETRYABLE', 'bad'],
  ['a redirect', failed('redirect'), 'FAILED_FINAL', 'bad'],
  ['a 500', failed('status', 500), 'FAILED_RETRYABLE', 'bad'],
  ['a 503', failed('status', 503), 'FAILED_RETRYABLE', 'bad'],
  ['a 429', failed('status', 429), 'FAILED_FINAL', 'bad'],
  ['a 408', failed('status', 408), 'FAILED_FINAL', 'bad'],
  ['a 400', failed('status', 400), 'FAILED_FINAL', null],
  ['a 404', failed('status', 404), 'FAILED_FINAL', null],
  ['a 422', failed('status', 422), 'FAILED_FINAL', null],
  ['a connection that other calls left none of', unasked, 'FAILED_RETRYABLE', null],
  ['an end of ours', stopped, 'FAILED_RETRYABLE', null],
])('%s maps to its verdict on the provider', (_, outcome, status, verdict) => {
  expect(verdictOn(outcome, status)).toBe(verdict)
})
