import { type DeliverDeps, deliverTurn } from './deliver-turn.ts'
import { type ClaimedWebhook, claimTurns, isAnyDue, takeWakeups } from './store.ts'

/**
 * Maximum number of concurrent turns of this process, for prompt receivers and for all others. New, slow and dead
 * receivers have their own lane, so that hanging receivers do not delay prompt ones. It is wide, as a turn there is often a
 * wait for nothing: anybody may register receivers that hang.
 */
const LANES = [
  { isPrompt: true, turnsMax: 64 },
  { isPrompt: false, turnsMax: 256 },
] as const
/** Maximum number of concurrent turns per receiver (scheme, host, port) in each lane, over all owners. */
const TURNS_PER_ORIGIN_MAX = 4
/** Lifetime of a claim; longer than any turn. When a gateway dies, its turns are repeated after this time. */
const CLAIM_SECONDS = 60
/** Maximum number of webhooks with new events per step. */
const WAKEUPS_MAX = 1_000
/** Maximum pause before the next search for due webhooks while turns are in flight, in ms. */
const LOOK_AGAIN_MS = 100
/** Maximum wait for turns in flight when the gateway stops, in ms. */
const STOP_WAIT_MS = 1_000

/**
 * Runs turns of all due webhooks, until none is due or the gateway stops. Fair: a webhook that had a turn comes after
 * those that have waited longer.
 *
 * Does not use the job queue: eight hanging receivers would occupy all of its workers and block the mails; it releases
 * the rows of a dead gateway after hours, not a minute; and concurrent announcements would wait for each other.
 */
export async function deliverDue(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  if (!(await isAnyDue(deps.db))) return
  const lanes = LANES.map(lane => ({ ...lane, turns: new Map<Promise<void>, string>() }))
  const inFlight = () => lanes.flatMap(({ turns }) => [...turns.keys()])
  while (!signal.aborted) {
    // A turn may end during this round and leave its webhook due in the other lane.
    let isOver = inFlight().length === 0
    await takeWakeups(deps.db, WAKEUPS_MAX)
    for (const { isPrompt, turnsMax, turns } of lanes) {
      const limit = turnsMax - turns.size
      const claim = { isPrompt, limit, perOriginMax: TURNS_PER_ORIGIN_MAX, claimSeconds: CLAIM_SECONDS }
      const claimed =
        limit === 0 ? [] : await claimTurns(deps.db, { ...claim, turns: countByOrigin(turns.values()) })
      for (const webhook of claimed) {
        isOver = false
        const turn: Promise<void> = turnOf(deps, webhook).finally(() => turns.delete(turn))
        turns.set(turn, webhook.origin)
      }
    }
    if (isOver) return
    await Promise.race([...inFlight(), deps.clock.pause(LOOK_AGAIN_MS)])
  }
  await Promise.race([Promise.all(inFlight()), deps.clock.pause(STOP_WAIT_MS)])
}

/** Runs a turn. If its result cannot be written, the claim expires and the next turn repeats it. */
async function turnOf(deps: DeliverDeps, webhook: ClaimedWebhook): Promise<void> {
  try {
    await deliverTurn(deps, webhook)
  } catch (error) {
    deps.log.warn({ webhookId: webhook.id, err: error }, 'the deliveries of a webhook failed')
  }
}

function countByOrigin(origins: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const origin of origins) counts.set(origin, (counts.get(origin) ?? 0) + 1)
  return counts
}
