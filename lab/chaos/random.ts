import { createHash } from 'node:crypto'

/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from `min` up to and including `max`. */
  int(min: number, max: number): number
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T
  /** True in so many of 1. */
  chance(part: number): boolean
  /** The same items in another order. */
  shuffle<T>(list: readonly T[]): T[]
  /** Numbers of its own for a part that shall not depend on how many others have drawn. */
  fork(label: string): Random
}

/** Numbers from a seed: SHA-256 of it starts the generator sfc32 of PractRand. */
export function createRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  let [a, b, c] = [0, 4, 8].map(at => digest.readInt32LE(at)) as [number, number, number]
  let counter = 1
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(list: readonly T[]): T => {
    const found = list[int(0, list.length - 1)]
    if (found === undefined) throw new RangeError('There is nothing to pick from.')
    return found
  }
  return {
    next,
    int,
    pick,
    chance: part => next() < part,
    shuffle(list) {
      const left = [...list]
      return list.flatMap(() => left.splice(int(0, left.length - 1), 1))
    },
    fork: label => createRandom(`${seed} ${label}`),
  }
}

/** Returns a number from 0 up to, not including, 1 that depends on a text only. */
export function drawOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE(0) / 2 ** 32
}
