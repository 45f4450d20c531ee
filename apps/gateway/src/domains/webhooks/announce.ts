import type { WebhookEvent } from '@farebox/wire/webhook-events'
import { type Address, getAddress } from 'viem'
import type { Deps, Tx } from '../../ports.ts'
import { type NewEvent, queueEvents } from './delivery-store.ts'
import { perMinuteMax, WAITING_MAX } from './rules.ts'

/** Something that a wallet may want to be told of. */
export type Announcement = WebhookEvent & {
  /** The wallet that it concerns, in lower case. */
  readonly owner: string
  /** Of several announcements of one owner and type with the same key, only the first is told. */
  readonly onceKey?: string
}

/**
 * Queues events for the webhooks that want them, in the transaction of what happened: told once it is committed, and
 * never when it is not. One statement, which need not be awaited: it may travel with the COMMIT. Costs an index lookup
 * where nobody listens, and waits for no lock that a delivery could have.
 *
 * Not async: a statement that fails and is not awaited is reported by the transaction, and by nothing else.
 */
export function announce(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  announcements: readonly Announcement[],
): Promise<unknown> {
  if (announcements.length === 0) return Promise.resolve()
  const groups = Map.groupBy(announcements, ({ owner, type }) => `${owner} ${type}`)
  const events = [...groups.values()].flatMap(alike => {
    // What no webhook would be told any more is not even sent to the database.
    const told = alike.slice(0, perMinuteMax(alike[0]?.type))
    const leftOut = alike.length - told.length
    return told.map((announcement, index) => newEvent(deps, announcement, index === 0 ? leftOut : 0))
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
