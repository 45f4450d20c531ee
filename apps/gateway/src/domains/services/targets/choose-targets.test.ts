import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseTargets, type Target } from './choose-targets.ts'

const closed = () => false
const target = (url: string, weight = 1, isHealthy = true): Target => ({ url, weight, isHealthy })

describe('chooseTargets', () => {
  test('draws distinct, healthy, closed targets, up to the maximum', () => {
    const targets = fc.array(
      fc.record({
        weight: fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        isHealthy: fc.boolean(),
        isOpen: fc.boolean(),
      }),
      { maxLength: 8 },
    )
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(targets, chance, fc.integer({ min: 1, max: 8 }), (list, random, max) => {
        const named = list.map((item, index) => ({ ...item, url: String(index) }))
        const good = named.filter(({ isHealthy, isOpen }) => isHealthy && !isOpen).map(({ url }) => url)
        const chosen = chooseTargets(
          named,
          url => named[Number(url)]?.isOpen === true,
          () => random,
          max,
        )
        expect(chosen).toHaveLength(Math.min(max, good.length))
        expect(new Set(chosen).size).toBe(chosen.length)
        for (const url of chosen) expect(good).toContain(url)
      }),
    )
  })

  test('gives each target first place in proportion to its weight', () => {
    const targets = [target('a', 1), target('b', 2), target('c', 7)]
    const firsts = { a: 0, b: 0, c: 0 }
    for (let step = 0; step < 1_000; step += 1) {
      const [first] = chooseTargets(targets, closed, () => step / 1_000)
      firsts[first as keyof typeof firsts] += 1
    }
    expect(firsts).toEqual({ a: 100, b: 200, c: 700 })
  })

  test('draws the fallbacks by weight', () => {
    const draws = [0.95, 0.1, 0.5]
    const targets = [target('a', 1), target('b', 1), target('c', 8)]
    expect(chooseTargets(targets, closed, () => draws.shift() ?? 0)).toEqual(['c', 'a', 'b'])
  })

  test('draws three at most by default', () => {
    const targets = Array.from({ length: 8 }, (_, index) => target(String(index)))
    expect(chooseTargets(targets, closed, () => 0.5)).toHaveLength(3)
  })

  test('draws nothing when no target is healthy and closed', () => {
    expect(chooseTargets([], closed, () => 0)).toEqual([])
    expect(chooseTargets([target('a', 1, false)], closed, () => 0)).toEqual([])
    expect(
      chooseTargets(
        [target('a')],
        () => true,
        () => 0,
      ),
    ).toEqual([])
    expect(
      chooseTargets(
        [target('a', 1, false), target('b')],
        () => true,
        () => 0,
      ),
    ).toEqual([])
  })
})
