import type { Arrivals } from '../messages.ts'

/**
 * When calls are to be made, in ms from the start; each call tells the next time. The times depend on the seed alone
 * and never on any answer. Random spacing is exponential, as of many agents who do not know of each other (a Poisson
 * process); even spacing is a metronome that starts at 0.
 */
export function createArrivals({ perSecond, spacing, seed }: Arrivals): () => number {
  const meanMs = 1_000 / perSecond
  if (spacing === 'even') {
    let count = 0
    return () => meanMs * count++
  }
  const random = createRandom(seed)
  let at = 0
  return () => {
    at -= meanMs * Math.log(1 - random())
    return at
  }
}

/** Numbers from 0 up to, but not including, 1: mulberry32 (public domain, Tommy Ettinger). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
