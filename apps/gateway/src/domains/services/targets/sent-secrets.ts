import { LRUCache } from 'lru-cache'
import { type SecretFilter, secretFilter } from './sent-secret-rules.ts'

type Headers = Readonly<Record<string, string>>

/** Headers with a filter in memory, in characters: a filter takes 30 to 300 bytes for each. */
const FILTERED_LENGTH_MAX = 262_144

/**
 * Returns filters for the headers of services. A filter is built when it is first used, once for each object of headers
 * while there is room for it.
 */
export function createSecretFilters(): (headers: Headers) => SecretFilter {
  const filters = new LRUCache<Headers, SecretFilter>({
    maxSize: FILTERED_LENGTH_MAX,
    sizeCalculation: (_, headers) => 1 + Object.values(headers).join('').length,
    memoMethod: secretFilter,
  })
  return headers => text => filters.memo(headers)(text)
}
