import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Proof that a delivery comes from the gateway that gave out the secret: Standard Webhooks, HMAC-SHA256 over id, time
 * and body. One file, no dependencies but Node's own modules: copy it, or use the `standardwebhooks` package.
 */

/** How far the clocks may be apart, and how old a delivery may be, in seconds. */
const TOLERANCE_SECONDS = 300

/** A delivery that is believed. `id` is the same at every attempt: keep it, and act on each once. */
export type WebhookEvent = {
  readonly id: string
  readonly type: string
  /** When it happened, ISO 8601; deliveries may come in another order. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A delivery that is not believed. */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal'
}

/**
 * Verifies a delivery and reads its event.
 *
 * @param delivery.body the bytes as they came, before any parser
 * @param secrets       `whsec_...`; during a rotation the old one and the new one
 * @param now           unix milliseconds
 * @throws WebhookRefusal
 */
export function verifyWebhook(
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  secrets: readonly string[],
  now: number = Date.now(),
): WebhookEvent {
  const { headers, body } = delivery
  const [id, sentAt, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    String(headers[name] ?? ''),
  )
  if (!id || !sentAt || !signatures) throw new WebhookRefusal('A webhook header is missing.')
  const ageSeconds = now / 1_000 - Number(sentAt)
  // Written so that what is no number is refused, too.
  if (!(Math.abs(ageSeconds) <= TOLERANCE_SECONDS))
    throw new WebhookRefusal('It is too old, or from the future.')

  const expected = secrets.map(secret => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest()
  })
  const isGenuine = signatures.split(' ').some(signature => {
    const [version, text = ''] = signature.split(',')
    const given = Buffer.from(text, 'base64')
    return (
      version === 'v1' && expected.some(one => one.length === given.length && timingSafeEqual(one, given))
    )
  })
  if (!isGenuine) throw new WebhookRefusal('No signature fits.')
  const { type, timestamp, data } = JSON.parse(body.toString('utf8')) as Omit<WebhookEvent, 'id'>
  return { id, type, timestamp, data }
}
