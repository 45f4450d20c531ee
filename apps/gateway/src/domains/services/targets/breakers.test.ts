import { describe, expect, test } from 'vitest'
import { createBreakers } from './breakers.ts'

const PAUSE_MS = 10_000

function breakers() {
  let elapsed = 1_000_000
  let now = 1_000_000
  const suspects: string[] = []
  const clock = { now: () => now, elapsed: () => elapsed }
  const all = createBreakers(clock, ({ serviceId, url }) => suspects.push(`${serviceId} ${url}`))
  const alice = all.of('svc_1', 'alice')
  return {
    all,
    alice,
    suspects,
    bob: all.of('svc_1', 'bob'),
    another: all.of('svc_2', 'alice'),
    fail(url: string, times: number, caller = alice) {
      for (let count = 0; count < times; count += 1) caller.record(url, false)
    },
    advance(ms: number) {
      elapsed += ms
      now += ms
    },
    setBack(ms: number) {
      now -= ms
    },
  }
}

describe('the circuit breaker of a caller', () => {
  test('opens after five consecutive failures, not before', () => {
    const { fail, alice } = breakers()
    fail('a', 4)
    expect(alice.isOpen('a')).toBe(false)
    fail('a', 1)
    expect(alice.isOpen('a')).toBe(true)
  })

  test('resets its count after a success', () => {
    const { fail, alice } = breakers()
    fail('a', 4)
    alice.record('a', true)
    fail('a', 4)
    expect(alice.isOpen('a')).toBe(false)
  })

  test('is per owner, target and service, however many others fail', () => {
    const { all, fail, alice, bob, another } = breakers()
    fail('a', 50)
    for (let owner = 0; owner < 50; owner += 1) fail('a', 6, all.of('svc_1', `owner ${owner}`))
    expect([alice.isOpen('a'), bob.isOpen('a'), alice.isOpen('b'), another.isOpen('a')]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(all.countOpen()).toBe(51)
  })

  test('admits five trials after ten seconds, and rejects others', () => {
    const { fail, alice, advance } = breakers()
    fail('a', 5)
    advance(PAUSE_MS - 1)
    expect(alice.isOpen('a')).toBe(true)
    advance(1)
    expect(Array.from({ length: 7 }, () => alice.isOpen('a'))).toEqual([...Array(5).fill(false), true, true])
  })

  test('admits trials after ten seconds too when the clock of the database was set back', () => {
    const { fail, alice, advance, setBack } = breakers()
    fail('a', 5)
    setBack(3_600_000)
    advance(PAUSE_MS)
    expect(alice.isOpen('a')).toBe(false)
  })

  test('closes when a trial succeeds', () => {
    const { fail, alice, advance } = breakers()
    fail('a', 5)
    advance(PAUSE_MS)
    alice.isOpen('a')
    alice.record('a', true)
    expect([alice.isOpen('a'), alice.isOpen('a')]).toEqual([false, false])
  })

  test('stays open for ten more seconds when a trial fails', () => {
    const { fail, alice, advance } = breakers()
    fail('a', 5)
    advance(PAUSE_MS)
    alice.isOpen('a')
    fail('a', 1)
    advance(PAUSE_MS - 1)
    expect(alice.isOpen('a')).toBe(true)
    advance(1)
    expect(alice.isOpen('a')).toBe(false)
  })

  test('admits another trial when one has no outcome', () => {
    const { fail, alice, advance } = breakers()
    fail('a', 5)
    advance(PAUSE_MS)
    alice.isOpen('a')
    advance(1_000)
    expect(alice.isOpen('a')).toBe(false)
  })

  test('is evicted as the oldest past ten thousand callers', () => {
    const { all, fail, alice } = breakers()
    fail('a', 5)
    for (let owner = 0; owner < 10_000; owner += 1) fail('a', 5, all.of('svc_1', `owner ${owner}`))
    expect(alice.isOpen('a')).toBe(false)
    expect(all.countOpen()).toBe(10_000)
  })
})

describe('a target', () => {
  test('is suspect after five consecutive failures of any callers, reported at intervals', () => {
    const { fail, bob, advance, suspects } = breakers()
    fail('a', 3)
    fail('a', 1, bob)
    expect(suspects).toEqual([])
    fail('a', 20)
    expect(suspects).toEqual(['svc_1 a'])
    advance(PAUSE_MS)
    fail('a', 2)
    expect(suspects).toHaveLength(2)
    fail('b', 5)
    expect(suspects.at(-1)).toBe('svc_1 b')
  })

  test('is no longer suspect after a success, and alternating results report no sooner', () => {
    const { fail, bob, advance, suspects } = breakers()
    fail('a', 4)
    bob.record('a', true)
    fail('a', 4)
    expect(suspects).toEqual([])
    for (let round = 0; round < 10; round += 1) {
      fail('a', 5)
      bob.record('a', true)
    }
    expect(suspects).toHaveLength(1)
    advance(PAUSE_MS)
    bob.record('a', true)
    fail('a', 5)
    expect(suspects).toHaveLength(2)
  })
})
