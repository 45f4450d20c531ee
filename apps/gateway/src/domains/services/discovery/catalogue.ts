import { GatewayError } from '@farebox/wire/errors'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../../ports.ts'
import { createFlights } from '../../../runtime/cached.ts'
import { RETRY_AFTER_SECONDS } from '../../../runtime/retry-after.ts'
import { correctionsOf, isCorrectable, lenientWords, wordsOf } from './search-rules.ts'
import {
  type CatalogueFilter,
  type CatalogueSort,
  type Match,
  rankServices,
  readCatalogueVersion,
  readSimilarWords,
} from './search-store.ts'

/** TTL of the ratings in a cached order, in ms; the listed services are always current. */
const FRESH_MS = 10_000
/** Time after that in which the stale order is still served while it is recomputed, in ms. */
const STALE_MS = 60_000
/** Maximum cached orders, and service ids in all of them. */
const ORDERS_KEPT_MAX = 10_000
const IDS_KEPT_MAX = 500_000
/** Maximum characters of all cached pages. */
const PAGES_LENGTH_MAX = 33_554_432
/** Concurrent searches of one gateway at the database: paid calls need it too. */
const SEARCHES_AT_ONCE = 4
/** Maximum queued searches; further ones are refused. */
const SEARCHES_WAITING_MAX = 256

/** A search. */
export type CatalogueQuery = {
  /** Free text; empty: all services. */
  readonly text: string
  readonly filter: CatalogueFilter
  readonly sort: CatalogueSort
}

/** No filters. */
export const EVERYTHING: CatalogueFilter = {
  tags: [],
  kind: null,
  dialect: null,
  maxPrice: null,
  maxCallPrice: null,
  maxInputPrice: null,
  maxOutputPrice: null,
  minContextTokens: null,
  minSuccessRate: null,
  maxLatencyMs: null,
  owner: null,
  among: null,
}

/** The services found, in order. */
export type Found = {
  readonly ids: readonly string[]
  /** Version of this order, in this process. */
  readonly serial: number
}

/** A serialised page; `trueMs`: how long its prices are valid, null: without end. */
export type WrittenPage = { readonly json: string; readonly isWhole: boolean; readonly trueMs: number | null }

/** Searches the listed services, mostly in memory, never in an outdated version. */
export type Catalogue = {
  /**
   * Finds services that can be called now: active, not suspended, nor their owner, with a healthy target. Includes
   * everything that any gateway committed before.
   *
   * @throws GatewayError UNAVAILABLE if it would take too long
   */
  find(query: CatalogueQuery): Promise<Found>
  /**
   * Serialises a page, or returns the cached one of this name. An incomplete page (a service was removed meanwhile) is
   * not cached; others only while their prices are valid.
   */
  page(found: Found, name: string, write: () => Promise<WrittenPage>): Promise<string>
}

/** Creates the catalogue of this process. */
export function createCatalogue(deps: Pick<Deps, 'db' | 'clock'>): Catalogue {
  const { db, clock } = deps
  const kept = new LRUCache<string, Order>({
    max: ORDERS_KEPT_MAX,
    maxSize: IDS_KEPT_MAX,
    sizeCalculation: ({ ids }) => 1 + ids.length,
  })
  const pages = new LRUCache<string, { json: string; writtenAt: number; trueMs: number }>({
    maxSize: PAGES_LENGTH_MAX,
    sizeCalculation: ({ json }) => 1 + json.length,
  })
  const loading = createFlights<string, Order>()
  const writing = createFlights<string, string>()
  const version = shareReads(() => readCatalogueVersion(db))
  const turn = createTurns()
  let keptAt = -1n
  let serial = 0

  const load = async (key: string, query: CatalogueQuery, at: bigint): Promise<Order> => {
    const ids = await turn(() => findIds(deps, query))
    serial += 1
    const order = { ids, serial, until: clock.now() + FRESH_MS }
    if (at === keptAt) kept.set(key, order)
    return order
  }
  return {
    async find(query) {
      const at = await version()
      if (at > keptAt) {
        keptAt = at
        kept.clear()
      }
      const key = JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value))
      const order = kept.get(key)
      const left = order === undefined ? 0 : order.until - clock.now()
      if (order !== undefined && left > 0 && left <= FRESH_MS) return order
      // Concurrent identical searches at one version share an answer.
      const made = loading.join(`${at} ${key}`, () => load(key, query, at))
      if (order === undefined || left <= -STALE_MS || left > FRESH_MS) return made
      // On failure the next search retries, and throws once the order is too old.
      made.catch(() => undefined)
      return order
    },
    async page(found, name, write) {
      const key = `${found.serial} ${name}`
      const before = pages.get(key)
      const age = before === undefined ? 0 : clock.now() - before.writtenAt
      if (before !== undefined && age >= 0 && age < before.trueMs) return before.json
      return writing.join(key, async () => {
        const { json, isWhole, trueMs } = await write()
        const page = { json, writtenAt: clock.now(), trueMs: trueMs ?? Number.POSITIVE_INFINITY }
        if (isWhole) pages.set(key, page)
        return json
      })
    },
  }
}

type Order = Found & { readonly until: number }

/**
 * Returns the best matches: services with every word; otherwise those with most of them, with misspelt words corrected;
 * otherwise those that contain the text literally.
 */
async function findIds(deps: Pick<Deps, 'db'>, query: CatalogueQuery): Promise<string[]> {
  const { filter, sort } = query
  const rank = (match: Match) => rankServices(deps.db, { match, filter, sort })
  const text = query.text.trim()
  if (text === '') return rank({ kind: 'any' })
  const words = wordsOf(text)
  if (words.length > 0) {
    const found = await rank({ kind: 'words', words, text })
    if (found.length > 0) return found
    const sought = lenientWords(words)
    const known = await readSimilarWords(
      deps.db,
      sought.filter(isCorrectable).map(({ word }) => word.toLowerCase()),
    )
    const corrected = sought.map(each => {
      const word = each.word.toLowerCase()
      return { ...each, corrections: correctionsOf(word, known.get(word) ?? []) }
    })
    const isOther = sought.length > 1 || corrected.some(({ corrections }) => corrections.length > 0)
    const near = isOther ? await rank({ kind: 'lenient', words: corrected, text }) : []
    if (near.length > 0) return near
  }
  return rank({ kind: 'part', text })
}

/**
 * Shares a read among readers. A reader never gets a read that started before it asked, which would lack recent
 * commits.
 */
function shareReads<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | null = null
  let next: Promise<Value> | null = null
  const start = (): Promise<Value> => {
    const reading = read().finally(() => {
      if (running === reading) running = null
    })
    running = reading
    return reading
  }
  return () => {
    if (running === null) return start()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null
        return start()
      })
    return next
  }
}

/** Limits concurrent and queued work. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async work => {
    if (running >= SEARCHES_AT_ONCE) {
      if (waiting.length >= SEARCHES_WAITING_MAX) {
        const message = 'Too many searches are in flight.'
        throw new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy })
      }
      await new Promise<void>(done => waiting.push(done))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
