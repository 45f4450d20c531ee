import { GatewayError } from '@farebox/wire/errors'
import type { VoteAnswer } from '@farebox/wire/forum'
import type { Deps } from '../../ports.ts'
import { mayRead, type Reader } from './rules.ts'
import { lockTopic, writeVote } from './store.ts'

/**
 * Adds or removes the vote of a wallet for a topic. Idempotent. Locked topics can be voted for.
 *
 * @throws GatewayError TOPIC_NOT_FOUND
 */
export async function voteTopic(
  deps: Pick<Deps, 'db'>,
  input: { topicId: string; isFor: boolean },
  voter: NonNullable<Reader>,
): Promise<VoteAnswer> {
  const { topicId, isFor } = input
  const voteCount = await deps.db.transaction(async tx => {
    const topic = await lockTopic(tx, topicId)
    if (topic === undefined || !mayRead(voter, topic.category)) throw new GatewayError('TOPIC_NOT_FOUND')
    return writeVote(tx, { topicId, wallet: voter.wallet, isFor })
  })
  return { status: 'success', topicId, voted: isFor, voteCount }
}
