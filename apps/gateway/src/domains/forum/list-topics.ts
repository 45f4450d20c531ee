import { GatewayError } from '@farebox/wire/errors'
import type { ListTopics, TopicsPage } from '@farebox/wire/forum'
import type { Deps, Queryable } from '../../ports.ts'
import { presentTopic, readAuthors } from './present.ts'
import { mayRead, type Reader } from './rules.ts'
import { countTopics, findNearTopics, readTopics, type TopicMatch, type TopicQuery } from './store.ts'

/**
 * Returns a page of topics. `latest` sorts by pinned topics first, then by newest activity; `top` by votes. Without a
 * category it includes every public board; only admins may list the support board.
 *
 * @throws GatewayError FORBIDDEN for a board that the reader may not read
 */
export async function listTopics(
  deps: Pick<Deps, 'config' | 'db'>,
  query: ListTopics,
  reader: Reader,
): Promise<TopicsPage> {
  const { page, pageSize, category = null } = query
  if (category !== null && !mayRead(reader, category)) throw new GatewayError('FORBIDDEN')
  const find = (match: TopicMatch | null) => readPage(deps.db, { ...query, category, match })
  const words = query.q?.trim() || null
  const found = await find(words === null ? null : { words })
  const { rows, total } =
    words !== null && found.total === 0
      ? await find({ ids: await findNearTopics(deps.db, { category, words }) })
      : found
  const authors = await readAuthors(deps, rows)
  return {
    status: 'success',
    topics: rows.map(row => presentTopic(row, authors)),
    pagination: { total, page, pageSize },
  }
}

async function readPage(db: Queryable, query: TopicQuery & Pick<ListTopics, 'page' | 'pageSize' | 'sort'>) {
  const { page, pageSize: limit } = query
  const [rows, total] = await Promise.all([
    readTopics(db, { ...query, offset: (page - 1) * limit, limit }),
    countTopics(db, query),
  ])
  return { rows, total }
}
