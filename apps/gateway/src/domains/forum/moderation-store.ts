import sql from 'sql-template-tag'
import type { Tx } from '../../ports.ts'

/** Writes whether a topic is pinned and locked. */
export async function writeTopicFlags(
  tx: Tx,
  flags: { id: string; pinned: boolean; locked: boolean },
): Promise<void> {
  await tx.query(
    sql`update forum_topics set pinned = ${flags.pinned}, locked = ${flags.locked} where id = ${flags.id}`,
  )
}

/** Hides a topic. */
export async function hideTopic(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update forum_topics set hidden_at = clock_timestamp() where id = ${id}`)
}

/** Returns a reply that is not hidden, and its topic. */
export async function findReply(
  tx: Tx,
  id: string,
): Promise<{ topicId: string; author: string; body: string } | undefined> {
  const [row] = await tx.query<{ topicId: string; author: string; body: string }>(
    sql`select topic_id, author, body from forum_replies where id = ${id} and hidden_at is null`,
  )
  return row
}

/**
 * Hides a reply and decrements the count of its topic.
 *
 * @returns false if it was hidden in the meantime
 */
export async function hideReply(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    with hidden as (
      update forum_replies set hidden_at = clock_timestamp() where id = ${id} and hidden_at is null
      returning topic_id)
    update forum_topics t set reply_count = reply_count - 1 from hidden where t.id = hidden.topic_id returning 1`)
  return rows.length === 1
}
