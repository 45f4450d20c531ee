/** Pseudo-random choices from a seed. */
export type Chance = {
  /** A number in [0, 1). */
  next(): number
  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number
  /** Returns true with this probability. */
  is(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Returns a duration that is mostly short and sometimes long, in ms: `typical` on average. */
  wait(typical: number): number
}

/** Mulberry32: the same seed makes the same choices. */
export function createChance(seed: number): Chance {
  let state = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    is: probability => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('There is nothing to pick.')
      return item
    },
    wait: typical => Math.round(-Math.log(1 - next()) * typical * 100) / 100,
  }
}
