import type { ForumCategory, ForumSort } from '@farebox/wire/forum'
import sql, { type Sql } from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../../ports.ts'

/** A topic as lists need it; `body` is its beginning, or all of it. */
export type TopicRow = {
  id: string
  category: ForumCategory
  title: string
  body: string
  author: string | null
  pinned: boolean
  locked: boolean
  reply_count: number
  vote_count: number
  created_at: Date
  last_activity_at: Date
}

/** A reply as it is stored. */
export type ReplyRow = { id: string; topic_id: string; author: string; body: string; created_at: Date }

/** Characters read of a text of which only an excerpt is shown: more than the excerpt, since blanks are dropped. */
const EXCERPT_READ_MAX = 500
/** How near the best part of a title must be to what was typed, for a search that no word matches exactly. */
const SIMILARITY_MIN = 0.4
/** Most topics that a misspelt search finds. */
export const NEAR_MAX = 200
/** Shorter words are nearly like everything. */
const TYPOS_LENGTH_MIN = 4

const columns = sql`id, category, title, author, pinned, locked, reply_count, vote_count, created_at, last_activity_at`
const beginning = sql`left(body, ${EXCERPT_READ_MAX}) as body`

const orders: { readonly [Sort in ForumSort]: Sql } = {
  latest: sql`pinned desc, last_activity_at desc, id desc`,
  top: sql`vote_count desc, last_activity_at desc, id desc`,
}

/** Topics that are not hidden. `category` null: every public board. */
export type TopicQuery = {
  readonly category: ForumCategory | null
  /** Which of them; null for all. */
  readonly match: TopicMatch | null
}

/** Topics that have words, as the search engine reads them, or those of some ids. */
export type TopicMatch = { readonly words: string } | { readonly ids: readonly string[] }

function readable(category: ForumCategory | null): Sql {
  const board = category === null ? sql`category <> 'support'` : sql`category = ${category}`
  return sql`hidden_at is null and ${board}`
}

function matching({ category, match }: TopicQuery): Sql {
  if (match === null) return readable(category)
  const found =
    'words' in match
      ? sql`search  websearch_to_tsquery('english', ${match.words})`
      : sql`id = any(${match.ids}::text[])`
  return sql`${readable(category)} and ${found}`
}

/**
 * Ids of topics whose title is nearly what was typed: {@link NEAR_MAX} at most, so that a text that is like every title
 * costs no more than another one.
 */
export async function findNearTopics(
  db: Db,
  query: { category: ForumCategory | null; words: string },
): Promise<string[]> {
  if (query.words.length < TYPOS_LENGTH_MIN) return []
  const rows = await db.transaction(async tx => {
    const settings = [
      `set local pg_trgm.word_similarity_threshold = ${SIMILARITY_MIN}`,
      // Comparing every title takes 5 to 30 us each: only what the index of trigrams finds is compared.
      'set local enable_seqscan = off',
    ]
    // Not awaited: they travel with the statement, and the transaction reports the one that fails.
    for (const text of settings) tx.query({ text, values: [] }).catch(() => undefined)
    return tx.query<{ id: string }>(sql`
      select id from forum_topics where ${readable(query.category)} and ${query.words} <% title limit ${NEAR_MAX}`)
  })
  return rows.map(({ id }) => id)
}

/** A page of topics. */
export function readTopics(
  db: Queryable,
  query: TopicQuery & { sort: ForumSort; offset: number; limit: number },
): Promise<TopicRow[]> {
  return db.query<TopicRow>(sql`
    select ${columns}, ${beginning} from forum_topics where ${matching(query)}
    order by ${orders[query.sort]} offset ${query.offset} limit ${query.limit}`)
}

/** How many topics there are on all pages. */
export async function countTopics(db: Queryable, query: TopicQuery): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    sql`select count(*)::int as total from forum_topics where ${matching(query)}`,
  )
  return row?.total ?? 0
}

/** A topic with all of its text, unless it is hidden. */
export async function findTopic(db: Queryable, id: string): Promise<TopicRow | undefined> {
  const [row] = await db.query<TopicRow>(
    sql`select ${columns}, body from forum_topics where id = ${id} and hidden_at is null`,
  )
  return row
}

/** Locks a topic, unless it is hidden. */
export async function lockTopic(tx: Tx, id: string): Promise<TopicRow | undefined> {
  const [row] = await tx.query<TopicRow>(
    sql`select ${columns}, ${beginning} from forum_topics where id = ${id} and hidden_at is null for update`,
  )
  return row
}

/** Stores a topic. */
export async function insertTopic(
  tx: Tx,
  topic: { id: string; category: ForumCategory; title: string; body: string; author: string | null },
): Promise<TopicRow> {
  const { id, category, title, body, author } = topic
  const [row] = await tx.query<TopicRow>(sql`
    insert into forum_topics (id, category, title, body, author)
    values (${id}, ${category}, ${title}, ${body}, ${author}) returning ${columns}, ${beginning}`)
  if (row === undefined) throw new Error('The topic was not stored.')
  return row
}

/** Stores a reply to a topic that the transaction has locked, and counts it there. */
export async function insertReply(
  tx: Tx,
  reply: { id: string; topicId: string; author: string; body: string },
): Promise<ReplyRow> {
  const { id, topicId, author, body } = reply
  const [row] = await tx.query<ReplyRow>(sql`
    with counted as (
      update forum_topics set reply_count = reply_count + 1, last_activity_at = clock_timestamp()
      where id = ${topicId})
    insert into forum_replies (id, topic_id, author, body) values (${id}, ${topicId}, ${author}, ${body})
    returning id, topic_id, author, body, created_at`)
  if (row === undefined) throw new Error('The reply was not stored.')
  return row
}

/** Replies of a topic, oldest first, after an id. */
export function readReplies(
  db: Queryable,
  query: { topicId: string; after: string | null; limit: number },
): Promise<ReplyRow[]> {
  const { topicId, after, limit } = query
  return db.query<ReplyRow>(sql`
    select id, topic_id, author, body, created_at from forum_replies
    where topic_id = ${topicId} and hidden_at is null and (${after}::text is null or id > ${after})
    order by id limit ${limit}`)
}

/** Whether a wallet has voted for a topic. */
export async function hasVoted(db: Queryable, vote: { topicId: string; wallet: string }): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from forum_votes where topic_id = ${vote.topicId} and wallet = ${vote.wallet}`,
  )
  return rows.length > 0
}

/** Adds or takes away the vote of a wallet for a topic that is locked; returns the votes it has then. */
export async function writeVote(
  tx: Tx,
  vote: { topicId: string; wallet: string; isFor: boolean },
): Promise<number> {
  const { topicId, wallet, isFor } = vote
  const changed = isFor
    ? await tx.query(sql`
        insert into forum_votes (topic_id, wallet) values (${topicId}, ${wallet}) on conflict do nothing returning 1`)
    : await tx.query(
        sql`delete from forum_votes where topic_id = ${topicId} and wallet = ${wallet} returning 1`,
      )
  const change = (isFor ? 1 : -1) * changed.length
  const [row] = await tx.query<{ vote_count: number }>(
    sql`update forum_topics set vote_count = vote_count + ${change} where id = ${topicId} returning vote_count`,
  )
  if (row === undefined) throw new Error(`The topic ${topicId} is gone.`)
  return row.vote_count
}

/** What a wallet has written within the last hour, and when it may write again if that is too much. */
export type RecentWrites = { readonly count: number; readonly oldestAgeSeconds: number }

/**
 * Counts what a wallet has written within the last hour, hidden or not. The wallet's own writes wait for each other
 * until the transaction ends, so that no two of them count the same.
 */
export async function countRecentWrites(
  tx: Tx,
  of: { wallet: string; table: 'topics' | 'replies' },
): Promise<RecentWrites> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`forum ${of.wallet}`}, 0))`)
  const table = of.table === 'topics' ? sql`forum_topics` : sql`forum_replies`
  const [row] = await tx.query<{ count: number; age: number }>(sql`
    select count(*)::int as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
    from ${table} where author = ${of.wallet} and created_at > now() - interval '1 hour'`)
  return { count: row?.count ?? 0, oldestAgeSeconds: row?.age ?? 0 }
}
