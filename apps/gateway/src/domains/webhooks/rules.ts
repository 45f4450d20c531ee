import { createHmac } from 'node:crypto'
import type { WebhookEventType } from '@farebox/wire/webhook-events'
import type { DeliveryError } from '@farebox/wire/webhooks'

/**
 * Pauses after the first failure, the second, ..., in seconds; after the last one a delivery has failed for good. As
 * Standard Webhooks recommends: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const RETRY_AFTER_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** A pause is longer than that by up to this part, so that what failed together does not come back together. */
const JITTER = 0.1
/** A webhook whose receiver takes nothing for so long is disabled. */
const FAILING_MS_MAX = 5 * 86_400_000
/** Longest turn of a receiver that counts as prompt, in ms. */
const PROMPT_MS_MAX = 3_000
/** Deliveries in one turn: of a prompt receiver, of one that is slow, and of one that is new or takes nothing. */
const TURN_PROMPT = 10
const TURN_SLOW = 4
const TURN_UNPROVEN = 1
/** Pause of a receiver that takes nothing: doubled with each turn. */
const PAUSE_SECONDS_MIN = 5
const PAUSE_SECONDS_MAX = 300

/** Most that wait of one type at one webhook. */
export const WAITING_MAX = 1_000
/** Most of a type that one webhook is told within a minute. Calls can fail by the thousand; nothing else can. */
export const perMinuteMax = (type: WebhookEventType | undefined): number =>
  type === 'invocation.failed' ? 60 : WAITING_MAX

/** What became of an attempt. `undone`: cut by ourselves, and not counted. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed'
      readonly status: number | null
      readonly error: DeliveryError
      readonly isGone: boolean
      /** For how long the receiver asks to be left alone, in seconds. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'undone' }

/** What is known of a receiver. */
export type Receiver = {
  readonly isPrompt: boolean
  readonly failingSince: Date | null
  /** Turns in a row in which it took nothing. */
  readonly failures: number
  readonly lastSuccessAt: Date | null
}

/** Key material of `whsec_...`. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

/**
 * Headers of a delivery as Standard Webhooks has them: HMAC-SHA256 over id, time and body.
 *
 * @param message.sentAt unix milliseconds of this attempt
 * @param secrets        `whsec_...`, the newest first; each makes a signature of its own
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

/** A secret of 32 bytes, given in hex. */
export const secretOf = (hex: string): string => `whsec_${Buffer.from(hex, 'hex').toString('base64')}`

/**
 * Reads an answer, or why there was none. A head of 2xx says that the event was taken, whatever came after it.
 *
 * @param answer.status of the head; null when none came
 * @param answer.reason why there is no whole answer; null when there is
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
 * Seconds until the next attempt; null when it has failed for good.
 *
 * @param failures of this delivery, the last one included
 * @param random   in [0, 1)
 * @param asked    what the receiver asks to be left alone for, in seconds, if it does
 */
export function retryAfter(failures: number, random: number, asked: number | null): number | null {
  const seconds = RETRY_AFTER_SECONDS[failures - 1]
  return seconds === undefined ? null : Math.max(seconds, asked ?? 0) * (1 + JITTER * random)
}

/** Deliveries that a receiver gets in one turn. */
export function turnOf(receiver: Receiver): number {
  if (receiver.isPrompt) return TURN_PROMPT
  return receiver.failures > 0 || receiver.lastSuccessAt === null ? TURN_UNPROVEN : TURN_SLOW
}

/** What a turn makes of a receiver. */
export type Judged = Receiver & {
  readonly pauseSeconds: number
  readonly disabledReason: 'gone' | 'failing' | null
}

/**
 * Judges a receiver by a turn. It fails when it took nothing at all: one that refuses one event and takes another is
 * there. One that asks to be left alone is, whatever else it took.
 *
 * @param turn.outcomes those that count, at least one
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
