import { LRUCache } from 'lru-cache'

/**
 * Returns a cache that drops what was used least recently beyond `max` entries, and entries older than `ttl` ms.
 *
 * Bounded by size, each entry counting one: bounded by number, a cache allocates the memory of all its entries at once.
 */
export function createBoundedCache<Key extends {}, Value extends {}>(
  max: number,
  ttl = 0,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl })
}
