import { GatewayError } from '@farebox/wire/errors'
import type { Reply } from '@farebox/wire/forum'
import type { Deps } from '../../ports.ts'
import { presentReply, readAuthors } from './present.ts'
import { judgeReply, type Reader } from './rules.ts'
import { insertReply, lockTopic } from './store.ts'
import { assertMayWrite } from './write-limit.ts'

/**
 * Replies to a topic.
 *
 * @throws GatewayError TOPIC_NOT_FOUND, TOPIC_LOCKED, RATE_LIMITED
 */
export async function createReply(
  deps: Pick<Deps, 'config' | 'db' | 'ids'>,
  input: { topicId: string; body: string },
  author: NonNullable<Reader>,
): Promise<Reply> {
  const { topicId, body } = input
  const { wallet } = author
  const row = await deps.db.transaction(async tx => {
    await assertMayWrite(tx, { wallet, table: 'replies' })
    const fault = judgeReply(await lockTopic(tx, topicId), author)
    if (fault !== null) throw new GatewayError(fault)
    return insertReply(tx, { id: deps.ids.next('rep'), topicId, author: wallet, body })
  })
  return presentReply(row, await readAuthors(deps, [row]))
}
