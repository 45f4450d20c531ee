import { createFifo, type Fifo } from './fifo.ts'

/**
 * Round-robin queue: each round takes the oldest item of every owner, so a new owner waits for at most one round. All
 * operations take constant time.
 */
export type FairQueue<Item> = {
  push(owner: string, item: Item): void
  /** Removes and returns the next item; undefined if empty. */
  shift(): Item | undefined
  size(): number
  /** Returns the number of an owner's items. */
  sizeOf(owner: string): number
  /** Returns the number of owners with items. */
  owners(): number
}

/** Creates an empty queue. */
export function createFairQueue<Item extends object>(): FairQueue<Item> {
  const lines = new Map<string, Fifo<Item>>()
  /** Each owner with items, once, in round-robin order. */
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
