import { GatewayError } from '@farebox/wire/errors'
import type { Topic } from '@farebox/wire/forum'
import type { Deps, Tx } from '../../ports.ts'
import { findReply, hideReply, hideTopic, writeTopicFlags } from './moderation-store.ts'
import { presentTopic, readAuthors } from './present.ts'
import { lockTopic } from './store.ts'

/** Changes of a topic by admins, except removal. */
export type Moderation = 'pin' | 'unpin' | 'lock' | 'unlock'

/** Called in the transaction of an act, with the record before and after. Throwing rolls the act back. */
export type OnModerated<Record> = (
  tx: Tx,
  change: { before: Record; after: Record | null },
) => Promise<unknown>

const flags: { readonly [Act in Moderation]: Partial<Pick<Topic, 'pinned' | 'locked'>> } = {
  pin: { pinned: true },
  unpin: { pinned: false },
  lock: { locked: true },
  unlock: { locked: false },
}

/**
 * Pins, unpins, locks or unlocks a topic. Idempotent.
 *
 * @throws GatewayError TOPIC_NOT_FOUND
 */
export async function moderateTopic(
  deps: Pick<Deps, 'config' | 'db'>,
  input: { topicId: string; act: Moderation },
  onModerated: OnModerated<Topic>,
): Promise<Topic> {
  const { topicId, act } = input
  return deps.db.transaction(async tx => {
    const before = await lockedTopic(deps, tx, topicId)
    const after = { ...before, ...flags[act] }
    await writeTopicFlags(tx, { id: topicId, pinned: after.pinned, locked: after.locked })
    await onModerated(tx, { before, after })
    return after
  })
}

/**
 * Removes a topic: hides it from everyone but keeps it in the database.
 *
 * @throws GatewayError TOPIC_NOT_FOUND, also if it is already hidden
 */
export async function removeTopic(
  deps: Pick<Deps, 'config' | 'db'>,
  topicId: string,
  onModerated: OnModerated<Topic>,
): Promise<void> {
  await deps.db.transaction(async tx => {
    const before = await lockedTopic(deps, tx, topicId)
    await hideTopic(tx, topicId)
    await onModerated(tx, { before, after: null })
  })
}

/** A reply as shown in the admins' audit log. */
export type ModeratedReply = { readonly topicId: string; readonly author: string; readonly body: string }

/**
 * Removes a reply: hides it from everyone but keeps it in the database.
 *
 * @throws GatewayError NOT_FOUND, also if it is already hidden
 */
export async function removeReply(
  deps: Pick<Deps, 'db'>,
  replyId: string,
  onModerated: OnModerated<ModeratedReply>,
): Promise<ModeratedReply> {
  return deps.db.transaction(async tx => {
    const row = await findReply(tx, replyId)
    if (row === undefined || !(await hideReply(tx, replyId))) throw noReply()
    const before = { topicId: row.topicId, author: row.author, body: row.body }
    await onModerated(tx, { before, after: null })
    return before
  })
}

async function lockedTopic({ config }: Pick<Deps, 'config'>, tx: Tx, topicId: string): Promise<Topic> {
  const row = await lockTopic(tx, topicId)
  if (row === undefined) throw new GatewayError('TOPIC_NOT_FOUND')
  return presentTopic(row, await readAuthors({ db: tx, config }, [row]))
}

function noReply(): GatewayError {
  return new GatewayError('NOT_FOUND', {}, { message: 'There is no such reply.' })
}
