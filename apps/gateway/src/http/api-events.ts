import { isoTime } from '@farebox/wire/common'
import { type WebhookEventType, webhookData } from '@farebox/wire/webhook-events'
import { z } from 'zod'

/** An event that is sent to whoever subscribed to it. */
export type ApiEvent = { readonly type: string; readonly summary: string; readonly payload: z.ZodType }

const summaries: Readonly<Record<WebhookEventType, string>> = {
  'deposit.credited': 'A deposit is in the balance',
  'balance.low': 'The balance has gone below the threshold',
  'credential.exhausted': 'A credential has no call or no credit left',
  'invocation.failed': 'A call failed for good, and nothing was charged',
  'service.down': 'No target of a service is healthy any more',
  'service.up': 'A service is there again',
  'withdrawal.updated': 'A withdrawal was opened, or has another status',
}

/** Every event of the published contract. */
export const apiEvents: readonly ApiEvent[] = (Object.keys(summaries) as WebhookEventType[]).map(type => ({
  type,
  summary: summaries[type],
  payload: z.object({ type: z.literal(type), timestamp: isoTime, data: webhookData[type] }),
}))
