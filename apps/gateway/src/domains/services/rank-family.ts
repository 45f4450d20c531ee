import type { LlmDialect } from '@farebox/wire/model-kinds'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../ports.ts'
import { type FamilySort, readFamily } from './family-store.ts'

/** TTL of a cached ranking, in ms. */
const FRESH_MS = 2_000
const RANKINGS_KEPT_MAX = 2_000
/** Services of a ranking. */
const RANKED_MAX = 5

export type { FamilySort } from './family-store.ts'

/** Parameters of the ranking of a family. */
export type FamilyQuery = {
  /** Id or agentToolName of a service of the family; it need not be callable. */
  readonly member: string
  readonly dialect: LlmDialect
  readonly sort: FamilySort
  /** Ids and agentToolNames that the credential may call; null: all. */
  readonly among: ReadonlySet<string> | null
}

/** Ranks the services of model families. */
export type FamilyRanking = {
  /**
   * Returns the agentToolNames of the best services of a family that can be called now, the best first; none if the
   * service is of no family. Services without enough rated calls come last by latency and throughput. The result may be
   * {@link FRESH_MS} old.
   */
  rank(query: FamilyQuery): Promise<readonly string[]>
}

/** Creates the ranking of this process. Concurrent queries for one ranking share a statement. */
export function createFamilyRanking({ db, clock }: Pick<Deps, 'db' | 'clock'>): FamilyRanking {
  const kept = new LRUCache<string, { at: number; names: Promise<readonly string[]> }>({
    max: RANKINGS_KEPT_MAX,
  })
  return {
    rank(query) {
      const { member, dialect, sort, among } = query
      const key = JSON.stringify([member, dialect, sort, among === null ? null : [...among].sort()])
      const known = kept.get(key)
      if (known !== undefined && clock.elapsed() - known.at < FRESH_MS) return known.names
      const names = readFamily(db, { ...query, limit: RANKED_MAX })
      kept.set(key, { at: clock.elapsed(), names })
      names.catch(() => kept.delete(key))
      return names
    },
  }
}
