import type { Deps } from '../../../ports.ts'
import { type Job, pruneJob } from '../../../runtime/jobs.ts'
import { refreshRatings } from './refresh-ratings.ts'
import { deleteUnusedWords } from './search-store.ts'

const REFRESH_EVERY_MS = 3_600_000
const PRUNE_WORDS_EVERY_MS = 6 * 3_600_000

/** Jobs that keep ratings and the search vocabulary up to date. */
export function discoveryJobs(deps: Pick<Deps, 'db'>): Job[] {
  return [
    { name: 'refresh-ratings', everyMs: REFRESH_EVERY_MS, run: signal => refreshRatings(deps, signal) },
    pruneJob('prune-search-words', () => deleteUnusedWords(deps.db), PRUNE_WORDS_EVERY_MS),
  ]
}
