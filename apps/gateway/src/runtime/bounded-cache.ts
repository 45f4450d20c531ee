import { LRUCache } from 'lru-cache'

/**
 * Returns a cache of at most `max` entries, which drops the one used least recently first.
 *
 * Bounded by size, each entry counting one: bounded by number, a cache allocates the memory of all its entries at once.
 *
 * @param options.ttl     age at which an entry is dropped, in ms; by default none
 * @param options.dispose called with each entry that is dropped or replaced
 */
export function createBoundedCache<Key extends {}, Value extends {}>(
  max: number,
  options: Pick<LRUCache.OptionsBase<Key, Value, unknown>, 'ttl' | 'dispose'> = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ ...options, maxSize: max, sizeCalculation: () => 1 })
}
