import { z } from 'zod'
import {
  countOut,
  cursorIn,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  nextCursor,
  type Output,
  pathIdIn,
  success,
} from '../common.ts'
import { strict } from '../strict.ts'
import { type WebhookEventType, webhookData } from './webhook-events.ts'

/** Maximum number of webhooks of a wallet. */
export const WEBHOOKS_PER_WALLET_MAX = 10
/** Default and maximum time for which the previous secret keeps signing after a rotation, in seconds. */
const OVERLAP_SECONDS_DEFAULT = 86_400
const OVERLAP_SECONDS_MAX = 604_800
const URL_LENGTH_MAX = 2_048

/** Types of webhook events. */
export const webhookEventTypes = Object.keys(webhookData) as [WebhookEventType, ...WebhookEventType[]]
const webhookEventType = z.enum(webhookEventTypes)

/** Type of test deliveries. It is not subscribable, so that it cannot be mistaken for an event. */
export const WEBHOOK_TEST_TYPE = 'webhook.test'

const urlIn = z.string().min(1).max(URL_LENGTH_MAX).meta({
  pattern: '^[\\x21-\\x7e]+$',
  description: 'URL that receives a POST per event; on the public internet.',
})
const eventsIn = z
  .array(webhookEventType)
  .min(1)
  .max(webhookEventTypes.length)
  .transform(events => [...new Set(events)])

/** Body of `POST /webhooks`. */
export const createWebhookBody = strict({ url: urlIn, events: eventsIn })
export type CreateWebhookBody = z.output<typeof createWebhookBody>

/** Body of `PATCH /webhooks/:id`; absent members are unchanged. */
export const updateWebhookBody = strict({
  url: urlIn.optional(),
  events: eventsIn.optional(),
  isActive: z.boolean().optional().meta({ description: 'False stops deliveries, true resumes them.' }),
}).refine(body => Object.values(body).some(value => value !== undefined), 'Must change at least one member.')
export type UpdateWebhookBody = z.output<typeof updateWebhookBody>

/** Body of `POST /webhooks/:id/rotate`. */
export const rotateWebhookBody = strict({
  overlapSeconds: z
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .default(OVERLAP_SECONDS_DEFAULT)
    .meta({ description: 'Seconds for which deliveries are also signed with the old secret.' }),
})
  .nullish()
  .transform(body => body ?? { overlapSeconds: OVERLAP_SECONDS_DEFAULT })

/** Path of a webhook. */
export const webhookParams = z.object({ id: pathIdIn('wh') })
/** Path of a delivery. */
export const deliveryParams = z.object({ id: pathIdIn('wh'), deliveryId: pathIdIn('evt') })

const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])
export type DeliveryStatus = z.output<typeof deliveryStatus>

/** Query of `GET /webhooks/:id/deliveries`. */
export const deliveriesQuery = z.object({
  limit: limitIn,
  cursor: cursorIn,
  status: deliveryStatus.optional(),
})

/** Secret of a webhook; returned only once, when it is created. */
const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
  .meta({ description: 'Shown only once. Verify `webhook-signature` with it (Standard Webhooks).' })

/** A webhook as the API returns it. */
const shownWebhook = z.object({
  id: idOut('wh'),
  url: z.string().max(URL_LENGTH_MAX).meta({ pattern: '^[\\x21-\\x7e]+$' }),
  events: z.array(webhookEventType).min(1).max(webhookEventTypes.length),
  status: z.enum(['active', 'disabled']),
  disabledReason: z.enum(['owner', 'gone', 'failing']).nullable().meta({
    description:
      '`owner`: disabled by you. `gone`: the receiver answered 410. `failing`: no success for five days.',
  }),
  failingSince: isoTime.nullable().meta({ description: 'First failure after the last success.' }),
  lastSuccessAt: isoTime.nullable(),
  previousSecretUntil: isoTime
    .nullable()
    .meta({ description: 'Until then deliveries are also signed with the previous secret.' }),
  suppressedLastDay: countOut.meta({ description: 'Events not queued, because there were too many.' }),
  createdAt: isoTime,
  updatedAt: isoTime,
})
export type ShownWebhook = Output<typeof shownWebhook>

/** Reason why an attempt failed: the status of the response, or a failure to reach the receiver. */
const deliveryError = z.enum([
  'status',
  'timeout',
  'connect',
  'reset',
  'redirect',
  'blocked_address',
  'too_large',
  'encoding',
])
export type DeliveryError = z.output<typeof deliveryError>

/** Body of a delivery: exactly these three members. */
const webhookPayload = z.object({
  type: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
  timestamp: isoTime,
  data: z
    .record(z.string().regex(/^\w{1,64}$/), z.json())
    .meta({ description: 'See docs/webhooks.md for each type.' }),
})

/** A delivery as the API returns it. Its id is the `webhook-id` header of every attempt. */
const shownDelivery = z.object({
  id: idOut('evt'),
  type: webhookPayload.shape.type,
  status: deliveryStatus,
  attempts: countOut,
  responseStatus: z.int().min(100).max(599).nullable().meta({ description: 'Status of the last response.' }),
  error: deliveryError.nullable().meta({ description: 'Error of the last attempt.' }),
  createdAt: isoTime,
  lastAttemptAt: isoTime.nullable(),
  nextAttemptAt: isoTime
    .nullable()
    .meta({ description: 'Null unless it is pending and the webhook active.' }),
  payload: webhookPayload,
})
export type ShownDelivery = Output<typeof shownDelivery>

/** Answer of `PATCH /webhooks/:id`. */
export const webhookAnswer = z.object({ status: success, webhook: shownWebhook })
/** Answer of `POST /webhooks` and of a rotation. */
export const issuedWebhookAnswer = webhookAnswer.extend({ secret: webhookSecret })
/** Answer of `DELETE /webhooks/:id`. */
export const deletedWebhookAnswer = z.object({ status: success, webhookId: idOut('wh') })
/** Answer of `GET /webhooks`, newest first. */
export const listWebhooksAnswer = z.object({
  status: success,
  webhooks: z.array(shownWebhook).max(WEBHOOKS_PER_WALLET_MAX),
})
/** Answer of a replay and of a test. */
export const deliveryAnswer = z.object({ status: success, delivery: shownDelivery })
/** Answer of `GET /webhooks/:id/deliveries`, newest first. */
export const listDeliveriesAnswer = z.object({
  status: success,
  deliveries: z.array(shownDelivery).max(LIST_LIMIT_MAX),
  nextCursor,
})
