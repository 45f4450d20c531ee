import { createFifo, type Fifo } from './fifo.ts'

/**
 * Items of many owners, taken in rounds: one of each owner in a round, and those of one owner in the order of their
 * arrival. However many an owner has, whoever comes next waits for one round at most. Everything in constant time.
 */
export type FairQueue<Item> = {
  push(owner: string, item: Item): void
  /** Takes the next one out; undefined when there is none. */
  shift(): Item | undefined
  size(): number
  /** How many of an owner wait. */
  sizeOf(owner: string): number
  /** Owners of whom something waits. */
  owners(): number
}

/** Empty at first. */
export function createFairQueue<Item extends object>(): FairQueue<Item> {
  const lines = new Map<string, Fifo<Item>>()
  /** Each owner of whom something waits, once, in the order of the turns. */
  const turns = createFifo<string>()
  let size = 0
  return {
    push(owner, item) {
      size += 1
      const line = lines.get(owner)
      if (line !== undefined) return line.push(item)
      const first = createFifo<Item>()
      first.push(item)
      lines.set(owner, first)
      turns.push(owner)
    },
    shift() {
      const owner = turns.shift()
      const line = owner === undefined ? undefined : lines.get(owner)
      if (owner === undefined || line === undefined) return undefined
      const item = line.shift()
      size -= 1
      if (line.size() > 0) turns.push(owner)
      else lines.delete(owner)
      return item
    },
    size: () => size,
    sizeOf: owner => lines.get(owner)?.size() ?? 0,
    owners: () => lines.size,
  }
}
