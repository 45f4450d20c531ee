import { GatewayError } from '@farebox/wire/errors'
import type { ListTopics, TopicsPage } from '@farebox/wire/forum'
import type { Deps } from '../../ports.ts'
import { presentTopic, readAuthors } from './present.ts'
import { mayRead, type Reader } from './rules.ts'
import { allowTypos, countTopics, readTopics } from './store.ts'

/**
 * A page of topics. `latest` has pinned topics first and then the newest activity, `top` the most votes. Without a
 * category it holds every public board; the one of support is shown to admins who ask for it.
 *
 * @throws GatewayError FORBIDDEN for a board that is not the reader's to read
 */
export async function listTopics(
  deps: Pick<Deps, 'db'>,
  query: ListTopics,
  reader: Reader,
): Promise<TopicsPage> {
  const { page, pageSize, sort, category = null } = query
  if (category !== null && !mayRead(reader, category)) throw new GatewayError('FORBIDDEN')
  const wanted = { category, words: query.q?.trim() || null }
  const [rows, total] = await deps.db.transaction(async tx => {
    if (wanted.words !== null) await allowTypos(tx)
    return Promise.all([
      readTopics(tx, { ...wanted, sort, offset: (page - 1) * pageSize, limit: pageSize }),
      countTopics(tx, wanted),
    ])
  })
  const authors = await readAuthors(deps.db, rows)
  return {
    status: 'success',
    topics: rows.map(row => presentTopic(row, authors)),
    pagination: { total, page, pageSize },
  }
}
