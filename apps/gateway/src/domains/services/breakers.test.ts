import { describe, expect, test } from 'vitest'
import { createBreakers } from './breakers.ts'

function breakers() {
  let now = 1_000_000
  const opened: string[] = []
  const suspected: string[] = []
  const breakers = createBreakers({ now: () => now }, ({ serviceId, url, verdict }) => {
    const told = verdict === 'failing' ? opened : suspected
    told.push(`${serviceId} ${url}`)
  })
  const made = breakers.of('svc_1', 'alice')
  const bob = breakers.of('svc_1', 'bob')
  return {
    ...made,
    opened,
    suspected,
    bob,
    another: breakers.of('svc_2', 'alice'),
    /** Calls of two owners in turn. */
    fail(url: string, times: number) {
      for (let count = 0; count < times; count += 1) (count % 2 === 0 ? made : bob).record(url, false)
    },
    failAlone(url: string, times: number) {
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

  test('is of one service only: what another makes of the same URL is its own affair', () => {
    const { fail, isOpen, another, opened } = breakers()
    fail('a', 5)
    expect([isOpen('a'), another.isOpen('a')]).toEqual([true, false])
    expect(opened).toEqual(['svc_1 a'])
  })

  test('does not open by the calls of one owner, however many: its target is suspect, and that is told now and then', () => {
    const { failAlone, isOpen, bob, advance, opened, suspected } = breakers()
    failAlone('a', 4)
    expect(suspected).toEqual([])
    failAlone('a', 20)
    expect([isOpen('a'), bob.isOpen('a'), opened]).toEqual([false, false, []])
    expect(suspected).toEqual(['svc_1 a'])
    advance(10_000)
    failAlone('a', 2)
    expect(suspected).toHaveLength(2)
    bob.record('a', false)
    expect([isOpen('a'), bob.isOpen('a'), opened]).toEqual([true, true, ['svc_1 a']])
  })

  test('tells when it opens, and again when its trials have failed, but not for calls that were late', () => {
    const { fail, isOpen, advance, opened } = breakers()
    fail('a', 4)
    expect(opened).toHaveLength(0)
    fail('a', 3)
    expect(opened).toHaveLength(1)
    advance(10_000)
    isOpen('a')
    isOpen('a')
    fail('a', 2)
    expect(opened).toHaveLength(2)
  })

  test('lets five calls try after ten seconds, and stays open for the others', () => {
    const { fail, isOpen, advance } = breakers()
    fail('a', 5)
    advance(9_999)
    expect(isOpen('a')).toBe(true)
    advance(1)
    expect(Array.from({ length: 7 }, () => isOpen('a'))).toEqual([...Array(5).fill(false), true, true])
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
