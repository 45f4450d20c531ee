import { createHmac } from 'node:crypto'
import type { WebhookEventType } from '@farebox/wire/webhook-events'
import type { DeliveryError } from '@farebox/wire/webhooks'

/**
 * Delays after the first failure, the second, ..., in seconds; after the last one a delivery fails permanently. As
 * recommended by Standard Webhooks:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const RETRY_AFTER_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** Maximum share by which a delay is lengthened at random, so that concurrent failures are not retried together. */
const JITTER = 0.1
/** Time after which a webhook is disabled if its receiver accepts nothing, in ms. */
const FAILING_MS_MAX = 5 * 86_400_000
/** Maximum duration of a turn for a receiver to count as prompt, in ms. */
const PROMPT_MS_MAX = 3_000
/** Maximum deliveries per turn, for receivers that are prompt, slow, or new or failing. */
const TURN_PROMPT = 10
const TURN_SLOW = 4
const TURN_UNPROVEN = 1
/** Pause of a failing receiver, doubled with each turn. */
const PAUSE_SECONDS_MIN = 5
const PAUSE_SECONDS_MAX = 300

/** Maximum number of pending deliveries of one type per webhook. */
export const WAITING_MAX = 1_000
/** Returns the maximum number of events of a type per minute and webhook. Only failed calls can be numerous. */
export const perMinuteMax = (type: WebhookEventType | undefined): number =>
  type === 'invocation.failed' ? 60 : WAITING_MAX

/** Result of an attempt. `undone`: cancelled by the gateway, and not counted. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed'
      readonly status: number | null
      readonly error: DeliveryError
      readonly isGone: boolean
      /** Pause requested by the receiver, in seconds. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'undone' }

/** State of a receiver. */
export type Receiver = {
  readonly isPrompt: boolean
  readonly failingSince: Date | null
  /** Number of consecutive turns in which it accepted nothing. */
  readonly failures: number
  readonly lastSuccessAt: Date | null
}

/** Returns the key material of `whsec_...`. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

/**
 * Returns the headers of a delivery as defined by Standard Webhooks: HMAC-SHA256 over id, time and body.
 *
 * @param message.sentAt Unix milliseconds of this attempt
 * @param secrets        `whsec_...`, newest first; each adds a signature
 */
export function signedHeaders(
  message: { readonly id: string; readonly sentAt: number; readonly body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(message.sentAt / 1_000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = secrets.map(secret => {
    return `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** Returns the secret of 32 bytes given in hex. */
export const secretOf = (hex: string): string => `whsec_${Buffer.from(hex, 'hex').toString('base64')}`

/**
 * Returns the result of an attempt. A status of 2xx counts as delivered, whatever follows it.
 *
 * @param answer.status of the response; null if none arrived
 * @param answer.reason why there is no complete response; null if there is one
 */
export function outcomeOf(answer: {
  status: number | null
  reason: string | null
  retryAfterSeconds: number | null
}): Outcome {
  const { status, reason, retryAfterSeconds } = answer
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered', status }
  if (reason === 'stopping') return { kind: 'undone' }
  const error = (reason ?? 'status') as DeliveryError
  return { kind: 'failed', status, error, isGone: status === 410, retryAfterSeconds }
}

/**
 * Returns the seconds until the next attempt; null if the delivery has failed permanently.
 *
 * @param failures of this delivery, including the last one
 * @param random   in [0, 1)
 * @param asked    pause requested by the receiver, in seconds, if any
 */
export function retryAfter(failures: number, random: number, asked: number | null): number | null {
  const seconds = RETRY_AFTER_SECONDS[failures - 1]
  return seconds === undefined ? null : Math.max(seconds, asked ?? 0) * (1 + JITTER * random)
}

/** Returns the maximum number of deliveries in one turn of a receiver. */
export function turnOf(receiver: Receiver): number {
  if (receiver.isPrompt) return TURN_PROMPT
  return receiver.failures > 0 || receiver.lastSuccessAt === null ? TURN_UNPROVEN : TURN_SLOW
}

/** State of a receiver after a turn. */
export type Judged = Receiver & {
  readonly pauseSeconds: number
  readonly disabledReason: 'gone' | 'failing' | null
}

/**
 * Returns the state of a receiver after a turn. A turn fails only if the receiver accepted nothing, as one that rejects
 * some events is still reachable. A requested pause is always respected.
 *
 * @param turn.outcomes at least one, without `undone`
 */
export function judge(
  before: Receiver,
  turn: { outcomes: readonly Outcome[]; ms: number; at: Date },
): Judged {
  const { outcomes, ms, at } = turn
  const isGone = outcomes.some(outcome => outcome.kind === 'failed' && outcome.isGone)
  const asked = Math.max(...outcomes.map(one => (one.kind === 'failed' ? (one.retryAfterSeconds ?? 0) : 0)))
  if (outcomes.some(({ kind }) => kind === 'delivered')) {
    const well = { isPrompt: ms <= PROMPT_MS_MAX, failingSince: null, failures: 0, lastSuccessAt: at }
    return { ...well, pauseSeconds: asked, disabledReason: isGone ? 'gone' : null }
  }
  const failures = before.failures + 1
  const failingSince = before.failingSince ?? at
  const isGivenUp = at.getTime() - failingSince.getTime() >= FAILING_MS_MAX
  return {
    isPrompt: false,
    failingSince,
    failures,
    lastSuccessAt: before.lastSuccessAt,
    pauseSeconds: Math.max(
      asked,
      Math.min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_MIN * 2 ** Math.min(failures - 1, 10)),
    ),
    disabledReason: isGone ? 'gone' : isGivenUp ? 'failing' : null,
  }
}
