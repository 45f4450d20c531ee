import { describe, expect, test } from 'vitest'
import { createBreakers } from './breakers.ts'

function breakers() {
  let now = 1_000_000
  const made = createBreakers({ now: () => now })
  return {
    ...made,
    fail(url: string, times: number) {
      for (let count = 0; count < times; count += 1) made.record(url, false)
    },
    advance(ms: number) {
      now += ms
    },
  }
}

describe('a breaker', () => {
  test('opens after five failures in a row, not before', () => {
    const { fail, isOpen } = breakers()
    fail('a', 4)
    expect(isOpen('a')).toBe(false)
    fail('a', 1)
    expect(isOpen('a')).toBe(true)
  })

  test('starts counting anew after a success', () => {
    const { fail, record, isOpen } = breakers()
    fail('a', 4)
    record('a', true)
    fail('a', 4)
    expect(isOpen('a')).toBe(false)
  })

  test('is of one target only', () => {
    const { fail, isOpen } = breakers()
    fail('a', 5)
    expect(isOpen('b')).toBe(false)
  })

  test('lets one call try after ten seconds, and stays open for the others', () => {
    const { fail, isOpen, advance } = breakers()
    fail('a', 5)
    advance(9_999)
    expect(isOpen('a')).toBe(true)
    advance(1)
    expect([isOpen('a'), isOpen('a'), isOpen('a')]).toEqual([false, true, true])
  })

  test('closes when the trial succeeds', () => {
    const { fail, record, isOpen, advance } = breakers()
    fail('a', 5)
    advance(10_000)
    isOpen('a')
    record('a', true)
    expect([isOpen('a'), isOpen('a')]).toEqual([false, false])
  })

  test('stays open for ten seconds more when the trial fails', () => {
    const { fail, isOpen, advance } = breakers()
    fail('a', 5)
    advance(10_000)
    isOpen('a')
    fail('a', 1)
    advance(9_999)
    expect(isOpen('a')).toBe(true)
    advance(1)
    expect(isOpen('a')).toBe(false)
  })

  test('lets another call try when nothing is heard of the trial', () => {
    const { fail, isOpen, advance } = breakers()
    fail('a', 5)
    advance(10_000)
    isOpen('a')
    advance(1_000)
    expect(isOpen('a')).toBe(false)
  })
})
