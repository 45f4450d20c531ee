import { GatewayError } from '@farebox/wire/errors'
import type { ForumCategory, Topic } from '@farebox/wire/forum'
import type { Deps } from '../../ports.ts'
import { presentTopic, readAuthors } from './present.ts'
import { mayOpenTopics, type Reader } from './rules.ts'
import { insertTopic } from './store.ts'
import { assertMayWrite } from './write-limit.ts'

/**
 * Opens a topic. Its text is stored unchanged.
 *
 * @throws GatewayError FORBIDDEN on a board where only admins open topics; RATE_LIMITED
 */
export async function createTopic(
  deps: Pick<Deps, 'config' | 'db' | 'ids'>,
  input: { title: string; category: ForumCategory; body: string },
  author: NonNullable<Reader>,
): Promise<Topic> {
  const { title, category, body } = input
  if (!mayOpenTopics(author, category)) {
    throw new GatewayError('FORBIDDEN', { category }, { message: `Only admins can post on ${category}.` })
  }
  const { wallet } = author
  const row = await deps.db.transaction(async tx => {
    await assertMayWrite(tx, { wallet, table: 'topics' })
    return insertTopic(tx, { id: deps.ids.next('top'), category, title, body, author: wallet })
  })
  return presentTopic(row, await readAuthors(deps, [row]))
}
