import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/kit/code-point.ts'
import {
  judge,
  type Outcome,
  outcomeOf,
  perMinuteMax,
  RETRY_AFTER_SECONDS,
  type Receiver,
  retryAfter,
  secretOf,
  signedHeaders,
  turnOf,
  WAITING_MAX,
} from './rules.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const fresh: Receiver = { isPrompt: false, failingSince: null, failures: 0, lastSuccessAt: null }
const delivered: Outcome = { kind: 'delivered', status: 200 }
const failed = {
  kind: 'failed',
  status: 500,
  error: 'status',
  isGone: false,
  retryAfterSeconds: null,
} as const satisfies Outcome
const turn = (outcomes: readonly Outcome[], ms = 10, at = AT) => ({ outcomes, ms, at })
const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex'))

describe('a signature', () => {
  test('verifies with its secret, whatever the body', () => {
    fc.assert(
      fc.property(hex, hex, fc.string({ unit: codePoint }), (one, other, text) => {
        const body = JSON.stringify({ text })
        const secrets = [secretOf(one), secretOf(other)]
        const headers = signedHeaders({ id: 'evt_1', sentAt: Date.now(), body }, secrets)
        for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual({ text })
      }),
    )
  })

  test('does not verify for another body, id, time or secret', () => {
    const secret = secretOf('ab'.repeat(32))
    const headers = signedHeaders({ id: 'evt_1', sentAt: Date.now(), body: '{}' }, [secret])
    const seconds = String(Number(headers['webhook-timestamp']) + 1)
    const verify = (body: string, more: object = {}, by = secret) =>
      new Webhook(by).verify(body, { ...headers, ...more })
    expect(verify('{}')).toEqual({})
    expect(() => verify('{ }')).toThrow('signature')
    expect(() => verify('{}', { 'webhook-id': 'evt_2' })).toThrow('signature')
    expect(() => verify('{}', { 'webhook-timestamp': seconds })).toThrow('signature')
    expect(() => verify('{}', {}, secretOf('ac'.repeat(32)))).toThrow('signature')
  })
})

describe('an answer', () => {
  const answered = { reason: null, retryAfterSeconds: null }

  test.each([200, 201, 202, 204, 299])('of %i is a delivery', status => {
    expect(outcomeOf({ ...answered, status })).toEqual({ kind: 'delivered', status })
  })

  test.each([100, 301, 400, 401, 404, 410, 429, 500, 503])('of %i is a failure', status => {
    const isGone = status === 410
    expect(outcomeOf({ ...answered, status })).toEqual({ ...failed, status, isGone })
  })

  test('that began with 2xx is a delivery, however it ended', () => {
    for (const reason of ['timeout', 'reset', 'too_large', 'encoding', 'stopping']) {
      expect(outcomeOf({ ...answered, status: 200, reason })).toEqual({ kind: 'delivered', status: 200 })
    }
  })

  test('aborted because the gateway stops does not count', () => {
    expect(outcomeOf({ ...answered, status: null, reason: 'stopping' })).toEqual({ kind: 'undone' })
  })
})

describe('the schedule', () => {
  test('follows Standard Webhooks, with jitter and an end', () => {
    RETRY_AFTER_SECONDS.forEach((seconds, index) => {
      expect(retryAfter(index + 1, 0, null)).toBe(seconds)
      expect(retryAfter(index + 1, 0.5, null)).toBeCloseTo(seconds * 1.05)
    })
    expect(retryAfter(RETRY_AFTER_SECONDS.length + 1, 0, null)).toBeNull()
  })

  test('waits longer when the receiver asks for it, never less, and not beyond its end', () => {
    expect(retryAfter(1, 0, 60)).toBe(60)
    expect(retryAfter(1, 0.5, 60)).toBeCloseTo(63)
    expect(retryAfter(2, 0, 60)).toBe(300)
    expect(retryAfter(RETRY_AFTER_SECONDS.length + 1, 0, 60)).toBeNull()
  })
})

describe('a receiver', () => {
  test('gets one delivery at a time while new or failing, more when it accepts them', () => {
    const well = judge(fresh, turn([delivered]))
    const slow = judge(fresh, turn([delivered], 5_000))
    const dead = judge(well, turn([failed, failed]))
    expect([fresh, well, slow, dead].map(turnOf)).toEqual([1, 10, 4, 1])
  })

  test('that rejects some deliveries still counts as reachable', () => {
    expect(judge(fresh, turn([failed, delivered]))).toMatchObject({
      isPrompt: true,
      failures: 0,
      failingSince: null,
      pauseSeconds: 0,
      disabledReason: null,
    })
  })

  test('that accepts nothing is paused for longer each time, up to a bound', () => {
    const pauses: number[] = []
    let receiver: Receiver = fresh
    for (let index = 0; index < 20; index += 1) {
      const judged = judge(receiver, turn([failed]))
      pauses.push(judged.pauseSeconds)
      receiver = judged
    }
    expect(pauses.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
    expect(Math.max(...pauses)).toBe(300)
  })

  test('that sends Retry-After is paused for that time, also after a success', () => {
    const busy: Outcome = { ...failed, status: 429, retryAfterSeconds: 900 }
    expect(judge(fresh, turn([failed, busy])).pauseSeconds).toBe(900)
    expect(judge(fresh, turn([delivered, busy]))).toMatchObject({ pauseSeconds: 900, failures: 0 })
    const soon: Outcome = { ...busy, retryAfterSeconds: 1 }
    expect(judge(fresh, turn([soon])).pauseSeconds).toBe(5)
  })

  test('is disabled after five days without a success, and not before', () => {
    const failing = judge(fresh, turn([failed]))
    const later = (ms: number) => judge(failing, turn([failed], 10, new Date(AT.getTime() + ms)))
    expect(later(5 * 86_400_000 - 1).disabledReason).toBeNull()
    expect(later(5 * 86_400_000).disabledReason).toBe('failing')
  })

  test('that answers 410 is disabled, even among other answers', () => {
    const gone: Outcome = { ...failed, status: 410, isGone: true }
    expect(judge(fresh, turn([gone])).disabledReason).toBe('gone')
    expect(judge(fresh, turn([delivered, gone])).disabledReason).toBe('gone')
  })
})

test('no per-minute limit of a type exceeds the queue limit', () => {
  for (const type of ['invocation.failed', 'balance.low', 'service.down'] as const) {
    expect(perMinuteMax(type)).toBeLessThanOrEqual(WAITING_MAX)
  }
})
