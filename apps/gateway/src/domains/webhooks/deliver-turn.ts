import type { Deps } from '../../ports.ts'
import { type Attempted, type DeliveryRow, readDue, writeAttempts } from './delivery-store.ts'
import { judge, type Outcome, outcomeOf, retryAfter, signedHeaders, turnOf } from './rules.ts'
import { type ClaimedWebhook, lockTurn, writeTurn } from './store.ts'

/** Timeout of a receiver's response, in ms. */
export const DELIVERY_TIMEOUT_MS = 15_000
/** Maximum number of bytes read of a response; only its status matters. */
const RESPONSE_BYTES_MAX = 16_384

/** Dependencies of deliveries. */
export type DeliverDeps = Pick<Deps, 'db' | 'upstream' | 'clock' | 'ids' | 'secretBox' | 'log' | 'metrics'>

/** Outcome of an attempt in the metrics, by the resulting status of the delivery. */
const SHOWN = { delivered: 'delivered', pending: 'failed', failed: 'given_up' } as const

type Due = Pick<DeliveryRow, 'id' | 'body' | 'failures'>

/**
 * Sends the due deliveries of a claimed webhook concurrently, up to the size of a turn, then writes the results. The
 * network comes before the transaction: if the gateway dies in between, the deliveries are sent again under the same
 * ids.
 */
export async function deliverTurn(deps: DeliverDeps, webhook: ClaimedWebhook): Promise<void> {
  const { clock, db } = deps
  const due = await readDue(db, { webhookId: webhook.id, limit: turnOf(webhook) })
  const secrets = [webhook.secret, webhook.previousSecret].flatMap(sealed =>
    sealed === null ? [] : [deps.secretBox.open(sealed, webhook.id)],
  )
  const startedAt = clock.now()
  const attempts = await Promise.all(
    due.map(async delivery => ({ delivery, outcome: await attempt(deps, { webhook, delivery, secrets }) })),
  )
  const at = clock.now()
  const outcomes = attempts.flatMap(({ outcome }) => (outcome.kind === 'undone' ? [] : [outcome]))
  const judged =
    outcomes.length === 0 ? null : judge(webhook, { outcomes, ms: at - startedAt, at: new Date(at) })
  const attempted = attempts.flatMap(({ delivery, outcome }) => afterAttempt(deps, delivery, outcome))

  await db.transaction(async tx => {
    // Separate statements, so that what is read after the lock includes deliveries queued while waiting for it.
    lockTurn(tx, webhook.id).catch(() => undefined)
    if (attempted.length > 0) writeAttempts(tx, webhook.id, attempted).catch(() => undefined)
    await writeTurn(tx, webhook.id, judged)
  })
  for (const { status } of attempted) {
    deps.metrics.count('farebox_webhook_attempts_total', { outcome: SHOWN[status] })
  }
  if (judged?.disabledReason != null) {
    deps.log.info({ webhookId: webhook.id, reason: judged.disabledReason }, 'a webhook was disabled')
  }
}

async function attempt(
  deps: Pick<Deps, 'upstream' | 'clock'>,
  sent: { webhook: ClaimedWebhook; delivery: Due; secrets: readonly string[] },
): Promise<Outcome> {
  const { id, body } = sent.delivery
  const answer = await deps.upstream.send({
    url: sent.webhook.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Farebox-Webhook',
      ...signedHeaders({ id, body, sentAt: deps.clock.now() }, sent.secrets),
    },
    body,
    timeoutMs: DELIVERY_TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
    isUnsigned: true,
  })
  if (!('failure' in answer)) return outcomeOf({ ...answer, reason: null })
  const { status = null, reason } = answer.failure
  return outcomeOf({ status, reason, retryAfterSeconds: null })
}

function afterAttempt(deps: Pick<Deps, 'ids'>, { id, failures }: Due, outcome: Outcome): Attempted[] {
  switch (outcome.kind) {
    case 'undone':
      return []
    case 'delivered': {
      const { status: responseStatus } = outcome
      return [{ id, status: 'delivered', failures, responseStatus, error: null, retrySeconds: null }]
    }
    case 'failed': {
      const { status: responseStatus, error, isGone, retryAfterSeconds } = outcome
      const retrySeconds = isGone ? null : retryAfter(failures + 1, deps.ids.random(), retryAfterSeconds)
      const status = retrySeconds === null ? 'failed' : 'pending'
      return [{ id, status, failures: failures + 1, responseStatus, error, retrySeconds }]
    }
  }
}
