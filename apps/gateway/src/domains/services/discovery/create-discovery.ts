import { createRateLimiter, type RateLimiter } from '../../../http/limits/rate-limit.ts'
import type { Deps } from '../../../ports.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'

const WINDOW_SECONDS = 60

/** What discovery keeps in memory; one per process. */
export type Discovery = {
  readonly catalogue: Catalogue
  /** Counts the searches of each agent credential, by whatever API they come. */
  readonly searches: RateLimiter
}

/** Puts together what discovery keeps in memory. */
export function createDiscovery(deps: Pick<Deps, 'db' | 'clock' | 'config'>): Discovery {
  const quota = deps.config.SEARCHES_PER_MINUTE
  return {
    catalogue: createCatalogue(deps),
    searches: createRateLimiter(deps.clock, { name: 'searches', quota, windowSeconds: WINDOW_SECONDS }),
  }
}
