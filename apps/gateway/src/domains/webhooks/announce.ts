import type { WebhookEvent } from '@farebox/wire/webhook-events'
import { type Address, getAddress } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { type NewEvent, queueEvents } from './delivery-store.ts'
import { perMinuteMax, WAITING_MAX } from './rules.ts'

/** An event to announce to a wallet. */
export type Announcement = WebhookEvent & {
  /** The wallet, in lower case. */
  readonly owner: string
  /** Of several announcements with the same owner, type and key, only the first is sent. */
  readonly onceKey?: string
}

/**
 * Queues events for the subscribed webhooks, in the transaction of the change, so that they are sent if and only if it
 * commits. One statement, which may be pipelined with the COMMIT without being awaited. Without subscribers it costs an
 * index lookup. It never waits for a lock of a delivery.
 *
 * Not async: the transaction reports a statement that fails without being awaited, and must be the only one to do so.
 */
export function announce(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  announcements: readonly Announcement[],
): Promise<unknown> {
  if (announcements.length === 0) return Promise.resolve()
  const groups = Map.groupBy(announcements, ({ owner, type }) => `${owner} ${type}`)
  const events = [...groups.values()].flatMap(alike => {
    // Events beyond the limit per minute are not sent to the database, only counted.
    const reported = alike.slice(0, perMinuteMax(alike[0]?.type))
    const leftOut = alike.length - reported.length
    return reported.map((announcement, index) => newEvent(deps, announcement, index === 0 ? leftOut : 0))
  })
  return queueEvents(tx, { events, waitingMax: WAITING_MAX })
}

function newEvent(
  { ids }: Pick<Deps, 'ids'>,
  { owner, type, data, onceKey }: Announcement,
  leftOut: number,
): NewEvent {
  const walletAddress = getAddress(owner as Address)
  return {
    id: ids.next('evt'),
    owner,
    type,
    onceKey: onceKey ?? null,
    leftOut,
    perMinute: perMinuteMax(type),
    data: JSON.stringify({ walletAddress, ...data }),
  }
}
