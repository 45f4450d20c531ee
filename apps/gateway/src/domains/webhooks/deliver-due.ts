import { type DeliverDeps, deliverTurn } from './deliver-turn.ts'
import { type ClaimedWebhook, claimTurns, isAnyDue, takeWakeups } from './store.ts'

/**
 * Turns under way at once in this process, of receivers that are prompt and of all others. Who is new, slow or dead has
 * a lane of its own: however many hang, who answers is told without delay.
 */
const LANES = [
  { isPrompt: true, turnsMax: 64 },
  { isPrompt: false, turnsMax: 32 },
] as const
/** Turns of one receiver (scheme, host, port), whoever owns the webhooks, in each lane. */
const TURNS_PER_ORIGIN_MAX = 4
/** Longer than a turn takes. A gateway that dies in one is made up for after that. */
const CLAIM_SECONDS = 60
/** Webhooks with something new that are looked at in one step. */
const WAKEUPS_MAX = 1_000
/** Longest wait before due webhooks are looked for again while turns are under way, in ms. */
const LOOK_AGAIN_MS = 100
/** Longest wait for turns under way when the gateway stops, in ms. */
const STOP_WAIT_MS = 1_000

/**
 * Gives every webhook that is due its turns, until none is or the gateway stops. Fair: a webhook that has had a turn
 * comes after those that have waited longer.
 *
 * A queue of its own, beside that of the jobs: eight receivers that hang would take all of that one's places, and with
 * them the mails'; it gives the rows of a gateway that died back after hours, not a minute; and who announces would have
 * to wait there for everybody who announces at the same time.
 */
export async function deliverDue(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  if (!(await isAnyDue(deps.db))) return
  const lanes = LANES.map(lane => ({ ...lane, turns: new Map<Promise<void>, string>() }))
  const underWay = () => lanes.flatMap(({ turns }) => [...turns.keys()])
  while (!signal.aborted) {
    // A turn may end, and leave its webhook due in the other lane, while this round still claims.
    let isOver = underWay().length === 0
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
    await Promise.race([...underWay(), deps.clock.pause(LOOK_AGAIN_MS)])
  }
  await Promise.race([Promise.all(underWay()), deps.clock.pause(STOP_WAIT_MS)])
}

/** A turn that cannot be written is lost: its claim ends, and the next one does it again. */
async function turnOf(deps: DeliverDeps, webhook: ClaimedWebhook): Promise<void> {
  try {
    await deliverTurn(deps, webhook)
  } catch (error) {
    deps.log.warn({ webhookId: webhook.id, err: error }, 'a turn of a webhook was lost')
  }
}

function countByOrigin(origins: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const origin of origins) counts.set(origin, (counts.get(origin) ?? 0) + 1)
  return counts
}
