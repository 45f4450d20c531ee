import { createRateLimiter, type RateLimiter } from '../../../http/limits/rate-limit.ts'
import type { Deps } from '../../../ports.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'

const WINDOW_SECONDS = 60

/** In-memory state of discovery; one per process. */
export type Discovery = {
  readonly catalogue: Catalogue
  /** Counts the searches of each agent credential, over all APIs. */
  readonly searches: RateLimiter
}

/** Creates the in-memory state of discovery. */
export function createDiscovery(deps: Pick<Deps, 'db' | 'clock' | 'config'>): Discovery {
  const quota = deps.config.SEARCHES_PER_MINUTE
  return {
    catalogue: createCatalogue(deps),
    searches: createRateLimiter(deps.clock, { name: 'searches', quota, windowSeconds: WINDOW_SECONDS }),
  }
}
