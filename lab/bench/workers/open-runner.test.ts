import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createArrivals } from './open-arrivals.ts'
import type { Ending } from './open-ending.ts'
import { type MakeCall, runClosed, runOpen } from './open-runner.ts'

const GOOD: Ending = { end: 'good' }
const every = (ms: number) => createArrivals({ perSecond: 1_000 / ms, spacing: 'even', seed: 0 })
const instantly: MakeCall = () => Promise.resolve(GOOD)

test('calls are made when they are due, and those of the warm-up are in no figure', async () => {
  const numbers: number[] = []
  const run = { connections: 4, warmupMs: 60, measuredMs: 100, drainMs: 1_000 }
  const sightings = await runOpen(run, every(10), (_, number) => {
    numbers.push(number)
    return Promise.resolve(GOOD)
  })
  expect(numbers).toEqual(Array.from({ length: 16 }, (_, index) => index))
  const { duePerSecond, unsent, errors } = sightings.result(false)
  expect([duePerSecond, unsent, errors]).toEqual([100, 0, 0])
})

test('every call that was due during a stall is as late as the stall made it, not only the one that was held', async () => {
  const run = { connections: 1, warmupMs: 0, measuredMs: 200, drainMs: 1_000 }
  const sightings = await runOpen(run, every(10), async (_, number) => {
    if (number === 0) await delay(150)
    return GOOD
  })
  const { each, latency, served } = sightings.result(true)
  // Due at 0, 10, 20, ... and none could be sent before 150: the wait shrinks by 10 from one to the next.
  expect(each).toHaveLength(20)
  for (const [index, ms] of (each ?? []).slice(0, 14).entries())
    expect(ms).toBeGreaterThanOrEqual(149 - index * 10)
  expect(latency.p50).toBeGreaterThan(40)
  expect(served.p50).toBeLessThan(20)
})

test('no connection has more than one call under way', async () => {
  const busy = new Set<number>()
  let most = 0
  const run = { connections: 3, warmupMs: 0, measuredMs: 100, drainMs: 1_000 }
  await runOpen(run, every(1), async connection => {
    expect(busy.has(connection)).toBe(false)
    busy.add(connection)
    most = Math.max(most, busy.size)
    await delay(5)
    busy.delete(connection)
    return GOOD
  })
  expect(most).toBe(3)
})

test('calls that were never sent count with the time that they had waited', async () => {
  // One connection that never catches up: 200 calls are due, and two are sent.
  const run = { connections: 1, warmupMs: 0, measuredMs: 20, drainMs: 110 }
  const sightings = await runOpen(run, every(0.1), async () => {
    await delay(60)
    return GOOD
  })
  const { unsent, latency, perSecond } = sightings.result(false)
  expect(unsent).toBeGreaterThanOrEqual(195)
  expect(latency.p50).toBeGreaterThan(100)
  expect(perSecond).toBe(0)
})

test('sheds and wrong answers are counted apart and are in no latency', async () => {
  const run = { connections: 2, warmupMs: 0, measuredMs: 90, drainMs: 1_000 }
  const sightings = await runOpen(run, every(10), (_, number) =>
    Promise.resolve<Ending>(
      number % 3 === 0
        ? GOOD
        : number % 3 === 1
          ? { end: 'shed', retryAfterMs: 1_000 }
          : { end: 'wrong', why: `call ${number}` },
    ),
  )
  const { each, errors, errorSamples } = sightings.result(true)
  expect([each?.length, errors, errorSamples]).toEqual([3, 3, ['call 2', 'call 5', 'call 8']])
})

test('a job whose answers are all wrong ends early', async () => {
  const wrong: Ending = { end: 'wrong', why: 'no' }
  const run = { connections: 10, warmupMs: 0, measuredMs: 60_000, drainMs: 1_000 }
  const closed = await runClosed(run, () => Promise.resolve(wrong))
  const open = await runOpen(run, every(0.01), () => Promise.resolve(wrong))
  expect([closed.errors() >= 1_000, open.errors() >= 1_000]).toEqual([true, true])
})

test('a closed loop has one call per connection under way, and waits when it is told to', async () => {
  const calls = [0, 0]
  const run = { connections: 2, warmupMs: 0, measuredMs: 1_000, drainMs: 1_000 }
  const sightings = await runClosed(run, async connection => {
    calls[connection] = (calls[connection] ?? 0) + 1
    await delay(1)
    return connection === 0 ? GOOD : { end: 'shed', retryAfterMs: 600 }
  })
  expect(calls[0]).toBeGreaterThan(5)
  // At 0 and after 600 ms; the third would be due when the loop is over. One more for a timer that fires early.
  expect(calls[1]).toBeLessThanOrEqual(3)
  expect(sightings.result(false).shedPerSecond).toBeLessThanOrEqual(3)
})

test('a schedule without a call in it is over when its time is', async () => {
  const run = { connections: 1, warmupMs: 0, measuredMs: 10, drainMs: 1_000 }
  const sightings = await runOpen(run, () => 20, instantly)
  expect(sightings.result(false)).toMatchObject({ duePerSecond: 0, perSecond: 0, unsent: 0 })
})
