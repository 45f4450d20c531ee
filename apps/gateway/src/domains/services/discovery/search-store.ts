import type { LlmDialect } from '@farebox/wire/model-kinds'
import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { CamelCase, Db, Queryable } from '../../../ports.ts'
import { highestInputPrice } from '../pricing/pricing-store.ts'
import { likeAnywhere } from '../rules.ts'
import { UNRATED_QUALITY } from './rating-rules.ts'
import { majoritiesOf, type SoughtWord } from './search-rules.ts'

/** Maximum known words compared with a misspelt one, most similar first. */
const SIMILAR_WORDS_MAX = 40
/** Minimum trigram similarity of a misspelt word and its correction. */
const SIMILARITY_MIN = 0.25

/** Factor in the rank of services whose targets name their wallet. */
const VERIFIED_FACTOR = 1.05

/** Sort orders. `newest` ignores the match. */
export type CatalogueSort = 'best_match' | 'newest' | 'lowest_price' | 'fastest' | 'highest_reliability'

/** Filters; null and empty do not filter. Prices in micro-USDC. */
export type CatalogueFilter = {
  /** All of them, case-insensitive. */
  readonly tags: readonly string[]
  readonly kind: 'api' | 'llm' | null
  readonly dialect: LlmDialect | null
  /** Maximum typical price. */
  readonly maxPrice: bigint | null
  /** Maximum fixed price. */
  readonly maxCallPrice: bigint | null
  /** Maximum prices of a million tokens. Like the context they choose models. */
  readonly maxInputPrice: bigint | null
  readonly maxOutputPrice: bigint | null
  readonly minContextTokens: number | null
  readonly minSuccessRate: number | null
  readonly maxLatencyMs: number | null
  /** Wallet of the provider, in lower case. */
  readonly owner: string | null
  /** Ids and agentToolNames to choose from. */
  readonly among: readonly string[] | null
}

/** A word with its possible corrections. */
export type LenientWord = SoughtWord & { readonly corrections: readonly string[] }

/** Filters of a search. */
export type Match =
  | { readonly kind: 'any' }
  /** Each of the words, anywhere. */
  | { readonly kind: 'words'; readonly words: readonly SoughtWord[]; readonly text: string }
  /** More than half of the words, as typed or corrected. */
  | { readonly kind: 'lenient'; readonly words: readonly LenientWord[]; readonly text: string }
  /** The literal text, anywhere. */
  | { readonly kind: 'part'; readonly text: string }

/** Returns the version of the list. A prepared statement: it is part of every request. */
export async function readCatalogueVersion(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ version: bigint }>({
    name: 'services_catalogue_version',
    text: 'select version from catalogue',
    values: [],
  })
  if (row === undefined) throw new Error('The catalogue has no version.')
  return row.version
}

/** Returns the ids of matching listed services, in order. Limited in time. */
export async function rankServices(
  db: Db,
  query: { match: Match; filter: CatalogueFilter; sort: CatalogueSort },
): Promise<string[]> {
  const { conditions, relevance, coverage } = matching(query.match)
  const rows = await inTime<{ ids: string | null }>(
    db,
    sql`
    with found as (
      select s.service_id, s.typical_price, r.latency_ms, r.is_rated, r.reliability, ${coverage} as coverage,
        ${relevance} * (0.2 + 0.8 * coalesce(r.quality, ${UNRATED_QUALITY}::float8))
          * case when v.id is null then 1 else ${VERIFIED_FACTOR}::float8 end as score
      from service_search s left join service_ratings r on r.service_id = s.service_id
        left join services v on v.id = s.service_id and v.targets_verified
      where s.is_listed ${conditions} ${filtering(query.filter)}
        and s.owner not in (select address from wallets where suspended_at is not null))
    select string_agg(service_id, ' ' order by ${ordering[query.sort]}, service_id desc) as ids from found`,
  )
  const ids = rows[0]?.ids ?? ''
  return ids === '' ? [] : ids.split(' ')
}

const ordering: Readonly<Record<CatalogueSort, Sql>> = {
  best_match: sql`coverage desc, score desc`,
  newest: sql`service_id desc`,
  lowest_price: sql`typical_price, coverage desc, score desc`,
  fastest: sql`case when is_rated then latency_ms end nulls last, coverage desc, score desc`,
  highest_reliability: sql`case when is_rated then reliability end desc nulls last, coverage desc, score desc`,
}

/** Weights of a matched word: anywhere, additionally in tags or summary, and in names. */
const ANYWHERE = 0.2
const IN_TOPIC = 0.2
const IN_NAMES = 0.6
/** In lower case, like texts and tags in the database. */
const lowered = (text: string) => sql`lower(${text} collate "und-x-icu")`
/** A complete name means that service. */
const isNamed = (text: string) =>
  sql`(s.agent_tool_name = ${lowered(text)} or starts_with(s.texts, ${lowered(text)} || E'\n'))::int`

/**
 * SQL: rank of a service, per search word. Uses only the small columns: a word that every service has is searched as
 * well.
 */
function relevanceOf(terms: readonly Sql[], text: string): Sql {
  const hits = (column: Sql) =>
    join(
      terms.map(each => sql`(${column} @@ ${each})::int`),
      ' + ',
    )
  const share = (weight: number) => sql`${weight / terms.length}::float8`
  return sql`(${ANYWHERE}::float8 + ${share(IN_TOPIC)} * (${hits(sql`s.topic`)})
    + ${share(IN_NAMES)} * (${hits(sql`s.names`)}) + ${isNamed(text)})`
}

function matching(match: Match): { conditions: Sql; relevance: Sql; coverage: Sql } {
  if (match.kind === 'any') return { conditions: empty, relevance: sql`1.0::float8`, coverage: sql`1` }
  if (match.kind === 'part') {
    const conditions = sql`and s.texts like ${lowered(likeAnywhere(match.text))}`
    return { conditions, relevance: sql`(1.0::float8 + ${isNamed(match.text)})`, coverage: sql`1` }
  }
  if (match.kind === 'words') {
    const terms = match.words.map(term)
    const conditions = sql`and s.document @@ ${allOf(terms)}`
    return { conditions, relevance: relevanceOf(terms, match.text), coverage: sql`1` }
  }
  const terms = match.words.map(lenientTerm)
  const majorities = majoritiesOf(terms.length).map(chosen =>
    allOf(terms.filter((_, index) => chosen.includes(index))),
  )
  const coverage = join(
    terms.map(each => sql`(s.document @@ ${each})::int`),
    ' + ',
  )
  return {
    conditions: sql`and s.document @@ ${anyOf(majorities)}`,
    relevance: relevanceOf(terms, match.text),
    coverage: sql`(${coverage})`,
  }
}

const term = ({ word, isPrefix }: SoughtWord) => sql`search_term(fold_text(${word}), ${isPrefix})`
const lenientTerm = (word: LenientWord) =>
  anyOf([term(word), ...word.corrections.map(correction => term({ word: correction, isPrefix: false }))])
const allOf = (queries: readonly Sql[]) => sql`(${join(queries, ' && ')})`
const anyOf = (queries: readonly Sql[]) => sql`(${join(queries, ' || ')})`

function filtering(filter: CatalogueFilter): Sql {
  const { tags, kind, dialect, maxPrice, maxCallPrice, minSuccessRate, maxLatencyMs, owner, among } = filter
  const conditions = [
    ...(tags.length === 0 ? [] : [sql`and s.tags @> array[${join(tags.map(lowered))}]`]),
    ...(kind === null ? [] : [sql`and s.service_kind = ${kind}`]),
    ...(dialect === null ? [] : [sql`and s.llm_dialect = ${dialect}`]),
    ...(maxPrice === null ? [] : [sql`and s.typical_price <= ${maxPrice}`]),
    ...(maxCallPrice === null
      ? []
      : [sql`and s.service_kind = 'api' and s.typical_price <= ${maxCallPrice}`]),
    ...filteringModels(filter),
    ...(minSuccessRate === null ? [] : [sql`and r.is_rated and r.success_rate >= ${minSuccessRate}::float8`]),
    ...(maxLatencyMs === null ? [] : [sql`and r.is_rated and r.latency_ms <= ${maxLatencyMs}::float8`]),
    ...(owner === null ? [] : [sql`and s.owner = ${owner}`]),
    ...(among === null
      ? []
      : [sql`and (s.service_id = any(${among}::text[]) or s.agent_tool_name = any(${among}::text[]))`]),
  ]
  return conditions.length === 0 ? empty : join(conditions, ' ')
}

/** The row of a search lacks these terms; those of other services than models are null. */
function filteringModels({ maxInputPrice, maxOutputPrice, minContextTokens }: CatalogueFilter): Sql[] {
  const conditions = [
    ...(maxInputPrice === null ? [] : [sql`${highestInputPrice} <= ${maxInputPrice}`]),
    ...(maxOutputPrice === null ? [] : [sql`output_price <= ${maxOutputPrice}`]),
    ...(minContextTokens === null ? [] : [sql`context_tokens >= ${minContextTokens}`]),
  ]
  if (conditions.length === 0) return []
  return [sql`and s.service_id in (select id from services s where ${join(conditions, ' and ')})`]
}

/** Returns known words similar to words that may be misspelt. Limited in time. */
export async function readSimilarWords(
  db: Db,
  words: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (words.length === 0) return new Map()
  const rows = await inTime<{ word: string; known: string[] }>(
    db,
    sql`
    select sought.word, array(
      select w.word from search_words w where w.word % sought.word
      order by similarity(w.word, sought.word) desc, w.word limit ${SIMILAR_WORDS_MAX}) as known
    from unnest(${words}::text[]) as sought (word)`,
  )
  return new Map(rows.map(({ word, known }) => [word, known]))
}

/** Runs a statement with parts from strangers, with the time limit of a search. */
function inTime<Row extends CamelCase<Row>>(db: Db, statement: Sql): Promise<Row[]> {
  return db.transaction(async tx => {
    const text = `set local pg_trgm.similarity_threshold = ${SIMILARITY_MIN}`
    // Not awaited: sent together with the statement; the transaction reports which fails.
    tx.query({ text, values: [] }).catch(() => undefined)
    return tx.query<Row>(statement)
  })
}

/** Deletes words that no service uses. Registrations wait meanwhile. */
export function deleteUnusedWords(db: Db): Promise<number> {
  return db.transaction(async tx => {
    // A word being added must not be mistaken for an unused one: waits for writers first.
    await tx.query(sql`lock table search_words in share row exclusive mode`)
    const deleted = await tx.query(sql`
      with used as materialized (select word from ts_stat('select document from service_search where is_listed'))
      delete from search_words w where not exists (select from used where used.word = w.word) returning 1`)
    return deleted.length
  })
}
