/** First in, first out, in constant time at both ends. */
export type Fifo<Item> = {
  push(item: Item): void
  /** Takes the oldest out; undefined when there is none. */
  shift(): Item | undefined
  size(): number
}

/** Empty at first. What was taken is let go of when it is half of what is kept. */
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
