import { LRUCache } from 'lru-cache'
import { type SecretFilter, type Sent, secretFilter } from './sent-secret-rules.ts'

/** Headers and URLs with a filter in memory, in characters: a filter takes 30 to 300 bytes for each. */
const FILTERED_LENGTH_MAX = 262_144

/**
 * Returns filters for what is sent to the targets of services. A filter is built when it is first used, once for each
 * object given while there is room for it.
 */
export function createSecretFilters(): (sent: Sent) => SecretFilter {
  const filters = new LRUCache<Sent, SecretFilter>({
    maxSize: FILTERED_LENGTH_MAX,
    sizeCalculation: (_, { headers, urls }) => 1 + [...Object.values(headers), ...urls].join('').length,
    memoMethod: secretFilter,
  })
  return sent => text => filters.memo(sent)(text)
}
