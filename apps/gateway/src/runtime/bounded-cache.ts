import { LRUCache } from 'lru-cache'

/**
 * Returns a cache of at most `max` entries, which drops the one used least recently first.
 *
 * Bounded by size, each entry counting one: bounded by number, a cache allocates the memory of all its entries at once.
 *
 * @param ttl age at which an entry is dropped, in ms; 0: none
 */
export function createBoundedCache<Key extends {}, Value extends {}>(
  max: number,
  ttl = 0,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl })
}
