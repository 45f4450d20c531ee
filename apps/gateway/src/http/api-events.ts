import { isoTime } from '@farebox/wire/common'
import { type WebhookEventType, webhookData } from '@farebox/wire/webhook-events'
import { z } from 'zod'

/** An event sent to subscribers. */
export type ApiEvent = { readonly type: string; readonly summary: string; readonly payload: z.ZodType }

const summaries: Readonly<Record<WebhookEventType, string>> = {
  'deposit.credited': 'A deposit was credited',
  'balance.low': 'The balance fell below the threshold',
  'budget.reached': 'A credential has used 80 or 100% of its credit or calls',
  'failure_rate.high': 'More of the calls of the last hour failed than the limit of the alert',
  'credential.exhausted': 'A credential has no calls or no credit left',
  'invocation.failed': 'A call failed permanently; nothing was charged',
  'service.down': 'A service has no healthy target left',
  'service.up': 'A service has a healthy target again',
  'withdrawal.updated': 'A withdrawal was opened, or its status changed',
}

/** All events of the published contract. */
export const apiEvents: readonly ApiEvent[] = (Object.keys(summaries) as WebhookEventType[]).map(type => ({
  type,
  summary: summaries[type],
  payload: z.object({ type: z.literal(type), timestamp: isoTime, data: webhookData[type] }),
}))
