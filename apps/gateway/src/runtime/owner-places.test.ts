import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOwnerPlaces } from './owner-places.ts'

/** Takes a place that is there. */
function taken(places: ReturnType<typeof createOwnerPlaces>, owner: string): () => void {
  const place = places.take(owner)
  if (typeof place !== 'function') throw new Error(`Refused by the ${place.refusedBy}.`)
  return place
}

describe('places shared by owners', () => {
  test('are refused to an owner that has reached its own limit, but not to others', () => {
    const places = createOwnerPlaces({ perOwner: 2, all: 100 })
    const leave = taken(places, 'a')
    taken(places, 'a')
    expect(places.take('a')).toEqual({ refusedBy: 'owner' })
    taken(places, 'b')
    leave()
    taken(places, 'a')
    expect(places.size()).toBe(3)
  })

  test('are never exhausted by one owner, whatever its own limit', () => {
    const places = createOwnerPlaces({ perOwner: 1_000, all: 10 })
    for (let count = 0; count < 5; count += 1) taken(places, 'greedy')
    expect(places.take('greedy')).toEqual({ refusedBy: 'process' })
    taken(places, 'next')
    taken(places, 'third')
  })

  test('never exceed either limit, and are all free once every holder has left', () => {
    const act = fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd'), leaves: fc.boolean() })
    fc.assert(
      fc.property(fc.array(act), fc.nat(6), fc.nat(12), (acts, perOwner, all) => {
        const places = createOwnerPlaces({ perOwner, all })
        const held: { owner: string; leave: () => void }[] = []
        for (const { owner, leaves } of acts) {
          if (leaves) held.shift()?.leave()
          const place = places.take(owner)
          if (typeof place === 'function') held.push({ owner, leave: place })
          expect(held.filter(each => each.owner === owner).length).toBeLessThanOrEqual(perOwner)
          expect(places.size()).toBe(held.length)
          expect(held.length).toBeLessThanOrEqual(all)
        }
        for (const { leave } of held) leave()
        expect(places.size()).toBe(0)
      }),
    )
  })
})
