import { describe, expect, test } from 'vitest'
import { createInFlightCalls } from './in-flight-calls.ts'

function inFlight() {
  let time = 1_000
  const clock = { now: () => time, elapsed: () => time, pause: () => Promise.resolve() }
  return {
    calls: createInFlightCalls(clock),
    at(now: number) {
      time = now
    },
  }
}

const LONG_MS = 60_000

describe('calls in flight', () => {
  test('are tracked from begin to end', () => {
    const { calls } = inFlight()
    const done = calls.begin('a')
    expect([calls.has('a'), calls.has('b')]).toEqual([true, false])
    done()
    expect(calls.has('a')).toBe(false)
  })

  test('that begin twice end when both have ended', () => {
    const { calls } = inFlight()
    const [first, second] = [calls.begin('a'), calls.begin('a')]
    first()
    expect([calls.has('a'), calls.count()]).toEqual([true, 1])
    second()
    expect(calls.has('a')).toBe(false)
  })

  test('are listed by start time, inclusive', () => {
    const { calls, at } = inFlight()
    calls.begin('a')
    at(2_000)
    const done = calls.begin('b')
    expect(calls.begunBy(999)).toEqual([])
    expect(calls.begunBy(1_000)).toEqual(['a'])
    expect(calls.begunBy(2_000)).toEqual(['a', 'b'])
    done()
    expect(calls.begunBy(2_000)).toEqual(['a'])
  })

  test('are all drained before any waiter resolves', async () => {
    const { calls } = inFlight()
    const ends = [calls.begin('a'), calls.begin('b')]
    let over = 0
    const waits = [calls.over(LONG_MS), calls.over(LONG_MS)].map(wait => wait.then(() => (over += 1)))
    ends[0]?.()
    await Promise.resolve()
    expect(over).toBe(0)
    ends[1]?.()
    await Promise.all(waits)
    expect(over).toBe(2)
  })

  test('are drained for no longer than the timeout', async () => {
    const { calls } = inFlight()
    calls.begin('never ends')
    await calls.over(1)
    expect(calls.has('never ends')).toBe(true)
  })

  test('are drained immediately when there are none', async () => {
    const { calls } = inFlight()
    await calls.over(LONG_MS)
  })
})
