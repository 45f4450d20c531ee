import { createHmac, timingSafeEqual } from 'node:crypto'
import { headerOf, type ReceivedHeaders } from './headers.ts'

/** How far the clocks may be apart, and how old a delivery may be, in seconds. */
const TOLERANCE_SECONDS = 300

/** A verified delivery. `id` is the same at every attempt: store it, and act on each once. */
export type WebhookEvent = {
  readonly id: string
  readonly type: string
  /** When it happened, ISO 8601; deliveries may come in another order. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A delivery as it was received. */
export type WebhookDelivery = {
  readonly headers: ReceivedHeaders
  /** The bytes of the body before any parser. */
  readonly body: Uint8Array | string
}

/** Thrown for a delivery that fails verification. Answer it with 401. */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal'
}

/**
 * Verifies a delivery of the gateway and reads its event: Standard Webhooks, HMAC-SHA256 over id, time and body.
 *
 * @param delivery its headers and its unparsed body
 * @param secrets `whsec_...`; during a rotation the old one and the new one
 * @param now     unix milliseconds
 * @throws WebhookRefusal
 * @throws TypeError if a secret is not one of webhooks
 * @example
 * const event = verifyWebhook({ headers: request.headers, body: bytes }, process.env.WEBHOOK_SECRET ?? '')
 */
export function verifyWebhook(
  { headers, body }: WebhookDelivery,
  secrets: string | readonly string[],
  now: number = Date.now(),
): WebhookEvent {
  const keys = [secrets].flat().map(keyOf)
  if (keys.length === 0) throw new TypeError('secrets: give the secret of the webhook (whsec_...).')
  const id = headerOf(headers, 'webhook-id')
  const sentAt = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !sentAt || !signatures) throw new WebhookRefusal('A webhook header is missing.')
  const ageSeconds = now / 1_000 - Number(sentAt)
  // Not `>`: a timestamp that is no number is refused, too.
  if (!(Math.abs(ageSeconds) <= TOLERANCE_SECONDS))
    throw new WebhookRefusal('The delivery is too old, or from the future.')

  const expected = keys.map(key => createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest())
  const isGenuine = signatures.split(' ').some(signature => {
    const [version, text = ''] = signature.split(',')
    const given = Buffer.from(text, 'base64')
    return (
      version === 'v1' && expected.some(one => one.length === given.length && timingSafeEqual(one, given))
    )
  })
  if (!isGenuine) throw new WebhookRefusal('No signature matches.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const { type, timestamp, data } = JSON.parse(text) as Omit<WebhookEvent, 'id'>
  return { id, type, timestamp, data }
}

function keyOf(secret: string): Buffer {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? []
  if (base64 === undefined) throw new TypeError('secrets: one of them is no webhook secret (whsec_...).')
  return Buffer.from(base64, 'base64')
}
