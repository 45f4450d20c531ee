import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

type Item = { readonly owner: string; readonly number: number }

const OWNERS = ['a', 'b', 'c', 'd', 'e'] as const

/** Generates arrivals by owner, most of them of one owner, and removals (null) between them. */
const happenings = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('a', 'a', 'a', ...OWNERS) },
    { weight: 3, arbitrary: fc.constant(null) },
  ),
  { maxLength: 200 },
)

/** Trace by item: each removal with the items queued just before. */
function play(events: readonly (string | null)[]) {
  const queue = createFairQueue<Item>()
  let waiting: Item[] = []
  const takings: { item: Item | undefined; before: readonly Item[] }[] = []
  for (const [number, owner] of [...events, ...events.map(() => null)].entries()) {
    if (owner === null) {
      const item = queue.shift()
      takings.push({ item, before: waiting })
      waiting = waiting.filter(one => one !== item)
    } else {
      const item = { owner, number }
      queue.push(owner, item)
      waiting = [...waiting, item]
    }
    expect(queue.size()).toBe(waiting.length)
    expect(queue.owners()).toBe(new Set(waiting.map(one => one.owner)).size)
    for (const one of OWNERS)
      expect(queue.sizeOf(one)).toBe(waiting.filter(item => item.owner === one).length)
  }
  return takings
}

describe('the fair queue', () => {
  test('returns every pushed item exactly once', () => {
    fc.assert(
      fc.property(happenings, events => {
        const taken = play(events).flatMap(({ item }) => (item === undefined ? [] : [item.number]))
        const came = events.flatMap((owner, number) => (owner === null ? [] : [number]))
        expect(taken.toSorted((a, b) => a - b)).toEqual(came)
      }),
    )
  })

  test('returns an item unless it is empty', () => {
    fc.assert(
      fc.property(happenings, events => {
        for (const { item, before } of play(events)) expect(item === undefined).toBe(before.length === 0)
      }),
    )
  })

  test('returns the items of one owner in arrival order', () => {
    fc.assert(
      fc.property(happenings, events => {
        for (const { item, before } of play(events)) {
          if (item !== undefined) expect(before.find(one => one.owner === item.owner)).toBe(item)
        }
      }),
    )
  })

  test('serves every other waiting owner between two items of the same owner', () => {
    fc.assert(
      fc.property(happenings, events => {
        const takings = play(events).filter(({ item }) => item !== undefined)
        for (const [index, { item, before }] of takings.entries()) {
          const next = takings.findIndex((one, at) => at > index && one.item?.owner === item?.owner)
          if (next === -1) continue
          const between = takings.slice(index + 1, next)
          const served = new Set(between.map(one => one.item?.owner))
          for (const { owner } of before) if (owner !== item?.owner) expect(served).toContain(owner)
        }
      }),
    )
  })
})
