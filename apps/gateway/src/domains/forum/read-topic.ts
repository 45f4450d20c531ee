import { GatewayError } from '@farebox/wire/errors'
import type { TopicRead } from '@farebox/wire/forum'
import { keyOfCursor, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { presentReply, presentTopic, readAuthors } from './present.ts'
import { mayRead, type Reader } from './rules.ts'
import { findTopic, hasVoted, readReplies } from './store.ts'

/**
 * Returns a topic with its text and a page of its replies, oldest first.
 *
 * @throws GatewayError TOPIC_NOT_FOUND, also if the reader may not read it; INVALID_REQUEST for an invalid cursor
 */
export async function readTopic(
  deps: Pick<Deps, 'config' | 'db'>,
  query: { topicId: string; limit: number; cursor: string | undefined },
  reader: Reader,
): Promise<TopicRead> {
  const { topicId, limit } = query
  const after = keyOfCursor(query.cursor, /^rep_/)
  const topic = await findTopic(deps.db, topicId)
  if (topic === undefined || !mayRead(reader, topic.category)) throw new GatewayError('TOPIC_NOT_FOUND')
  const [rows, voted] = await Promise.all([
    readReplies(deps.db, { topicId, after, limit: limit + 1 }),
    reader === null ? false : hasVoted(deps.db, { topicId, wallet: reader.wallet }),
  ])
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  const authors = await readAuthors(deps, [topic, ...items])
  return {
    status: 'success',
    topic: { ...presentTopic(topic, authors), body: topic.body, voted },
    replies: items.map(row => presentReply(row, authors)),
    nextCursor,
  }
}
