import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Ending, runClosed } from './closed-loop.ts'

const GOOD: Ending = { end: 'good' }

test('ends a job early when all its answers are wrong', async () => {
  const wrong: Ending = { end: 'wrong', why: 'no' }
  const shape = { callers: 10, warmupSeconds: 0, seconds: 60 }
  const { errors, errorSamples } = await runClosed(shape, () => Promise.resolve(wrong))
  expect(errors).toBeGreaterThanOrEqual(1_000)
  expect(errorSamples).toHaveLength(5)
})

test('has one call per connection in flight, and pauses when asked to', async () => {
  const calls = [0, 0]
  const busy = new Set<number>()
  const result = await runClosed({ callers: 2, warmupSeconds: 0, seconds: 1 }, async connection => {
    expect(busy.has(connection)).toBe(false)
    busy.add(connection)
    calls[connection] = (calls[connection] ?? 0) + 1
    await delay(1)
    busy.delete(connection)
    return connection === 0 ? GOOD : { end: 'shed', retryAfterMs: 600 }
  })
  expect(calls[0]).toBeGreaterThan(5)
  // At 0 and after 600 ms; the third would be due when the loop is over. One more for a timer that fires early.
  expect(calls[1]).toBeLessThanOrEqual(3)
  expect(result.shedPerSecond).toBeLessThanOrEqual(3)
})

test('excludes warm-up calls from every figure', async () => {
  const shape = { callers: 1, warmupSeconds: 0.2, seconds: 0.1 }
  const { perSecond, latency } = await runClosed(shape, async (_, number) => {
    if (number === 0) await delay(100)
    return delay(1, GOOD)
  })
  expect(perSecond).toBeGreaterThan(0)
  expect(latency.max).toBeLessThan(100)
})

test('counts sheds and wrong answers separately, without their latency', async () => {
  // Ends by its wrong answers.
  const shape = { callers: 1, warmupSeconds: 0, seconds: 60 }
  const { perSecond, shedPerSecond, latency, errors } = await runClosed(shape, async (_, number) => {
    if (number >= 6) return { end: 'wrong', why: 'no' }
    return delay(1, { end: 'shed', retryAfterMs: 0 })
  })
  expect([perSecond, shedPerSecond, errors]).toEqual([0, 6 / 60, 1_000])
  expect(latency).toEqual({ p50: 0, p99: 0, max: 0 })
})
