/** FIFO queue with constant time at both ends. */
export type Fifo<Item> = {
  push(item: Item): void
  /** Removes and returns the oldest item; undefined if empty. */
  shift(): Item | undefined
  size(): number
}

/** Creates an empty queue. Taken items are discarded once they are half of the array. */
export function createFifo<Item extends object | string>(): Fifo<Item> {
  let items: Item[] = []
  let taken = 0
  return {
    push(item) {
      items.push(item)
    },
    shift() {
      const item = items[taken]
      if (item === undefined) return undefined
      taken += 1
      if (2 * taken >= items.length) {
        items = items.slice(taken)
        taken = 0
      }
      return item
    },
    size: () => items.length - taken,
  }
}
