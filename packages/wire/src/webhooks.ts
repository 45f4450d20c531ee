import { z } from 'zod'

/** What a webhook can tell of. */
export const webhookEventTypes = [
  'deposit.credited',
  'balance.low',
  'credential.exhausted',
  'invocation.failed',
  'service.down',
  'service.up',
  'withdrawal.updated',
] as const
export const webhookEventType = z.enum(webhookEventTypes)
export type WebhookEventType = z.output<typeof webhookEventType>
