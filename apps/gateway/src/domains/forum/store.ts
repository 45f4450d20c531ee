import type { ForumCategory, ForumSort } from '@farebox/wire/forum'
import sql, { type Sql } from 'sql-template-tag'
import type { Db, Queryable, Tx } from '../../ports.ts'

/** A topic in a list; `body` is its beginning, or all of it. */
export type TopicRow = {
  id: string
  category: ForumCategory
  title: string
  body: string
  author: string | null
  pinned: boolean
  locked: boolean
  replyCount: number
  voteCount: number
  createdAt: Date
  lastActivityAt: Date
}

/** A reply as stored. */
export type ReplyRow = { id: string; topicId: string; author: string; body: string; createdAt: Date }

/** Number of characters read for an excerpt; more than its length, as whitespace is collapsed. */
const EXCERPT_READ_MAX = 500
/** Minimum trigram similarity between the query and the best part of a title, for searches without an exact match. */
const SIMILARITY_MIN = 0.4
/** Maximum number of topics in a fuzzy search. */
export const NEAR_MAX = 200
/** Minimum length of a fuzzy search; shorter texts resemble almost everything. */
const TYPOS_LENGTH_MIN = 4

const columns = sql`id, category, title, author, pinned, locked, reply_count, vote_count, created_at, last_activity_at`
const beginning = sql`left(body, ${EXCERPT_READ_MAX}) as body`

const orders: { readonly [Sort in ForumSort]: Sql } = {
  latest: sql`pinned desc, last_activity_at desc, id desc`,
  top: sql`vote_count desc, last_activity_at desc, id desc`,
}

/** Selects topics that are not hidden. `category` null: every public board. */
export type TopicQuery = {
  readonly category: ForumCategory | null
  /** Restricts the topics; null for all. */
  readonly match: TopicMatch | null
}

/** Matches topics by full-text search, or by id. */
export type TopicMatch = { readonly words: string } | { readonly ids: readonly string[] }

function readable(category: ForumCategory | null): Sql {
  const board = category === null ? sql`category <> 'support'` : sql`category = ${category}`
  return sql`hidden_at is null and ${board}`
}

function matching({ category, match }: TopicQuery): Sql {
  if (match === null) return readable(category)
  const found =
    'words' in match
      ? sql`search @@ websearch_to_tsquery('english', ${match.words})`
      : sql`id = any(${match.ids}::text[])`
  return sql`${readable(category)} and ${found}`
}

/**
 * Returns the ids of topics whose title resembles the query. At most {@link NEAR_MAX}, which bounds the cost of a query
 * that resembles every title.
 */
export async function findNearTopics(
  db: Db,
  query: { category: ForumCategory | null; words: string },
): Promise<string[]> {
  if (query.words.length < TYPOS_LENGTH_MIN) return []
  const rows = await db.transaction(async tx => {
    const settings = [
      `set local pg_trgm.word_similarity_threshold = ${SIMILARITY_MIN}`,
      // Forces the trigram index, as comparing every title takes 5 to 30 us each.
      'set local enable_seqscan = off',
    ]
    // Not awaited: pipelined with the query. If one fails, the transaction reports it.
    for (const text of settings) tx.query({ text, values: [] }).catch(() => undefined)
    return tx.query<{ id: string }>(sql`
      select id from forum_topics where ${readable(query.category)} and ${query.words} <% title limit ${NEAR_MAX}`)
  })
  return rows.map(({ id }) => id)
}

/** Returns a page of topics. */
export function readTopics(
  db: Queryable,
  query: TopicQuery & { sort: ForumSort; offset: number; limit: number },
): Promise<TopicRow[]> {
  return db.query<TopicRow>(sql`
    select ${columns}, ${beginning} from forum_topics where ${matching(query)}
    order by ${orders[query.sort]} offset ${query.offset} limit ${query.limit}`)
}

/** Returns the number of topics on all pages. */
export async function countTopics(db: Queryable, query: TopicQuery): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    sql`select count(*)::int as total from forum_topics where ${matching(query)}`,
  )
  return row?.total ?? 0
}

/** Returns a topic with its full text, unless it is hidden. */
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

/** Inserts a topic. */
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

/** Inserts a reply to a topic locked by the transaction, and increments its count. */
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

/** Returns the replies of a topic after an id, oldest first. */
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

/** Returns true if a wallet has voted for a topic. */
export async function hasVoted(db: Queryable, vote: { topicId: string; wallet: string }): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from forum_votes where topic_id = ${vote.topicId} and wallet = ${vote.wallet}`,
  )
  return rows.length > 0
}

/** Adds or removes the vote of a wallet for a locked topic; returns the new number of votes. */
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
  const [row] = await tx.query<{ voteCount: number }>(
    sql`update forum_topics set vote_count = vote_count + ${change} where id = ${topicId} returning vote_count`,
  )
  if (row === undefined) throw new Error(`The topic ${topicId} is gone.`)
  return row.voteCount
}

/**
 * Writes of a wallet within the last hour, and the age of the oldest, from which the wait until the next one follows.
 */
export type RecentWrites = { readonly count: number; readonly oldestAgeSeconds: number }

/**
 * Counts the writes of a wallet within the last hour, including hidden ones. Serializes writes of the wallet until the
 * transaction ends, so that no two see the same count.
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
