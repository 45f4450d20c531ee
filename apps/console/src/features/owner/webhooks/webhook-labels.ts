import type { AnswerOf } from '@farebox/client'
import type { Tone } from '../../../ui/badge.tsx'

export type Webhook = AnswerOf<'listWebhooks'>['webhooks'][number]
export type Delivery = AnswerOf<'listWebhookDeliveries'>['deliveries'][number]
export type EventType = Webhook['events'][number]

/** Events that webhooks can subscribe to. */
export const events: readonly { readonly type: EventType; readonly text: string }[] = [
  { type: 'deposit.credited', text: 'A deposit was credited' },
  { type: 'balance.low', text: 'Your balance is low' },
  { type: 'budget.reached', text: 'A credential has used 80 or 100% of its budget' },
  { type: 'failure_rate.high', text: 'Many calls are failing' },
  { type: 'credential.exhausted', text: 'A credential reached its limit' },
  { type: 'invocation.failed', text: 'A call failed, and nothing was charged' },
  { type: 'service.down', text: 'Your service has no healthy target left' },
  { type: 'service.up', text: 'Your service has recovered' },
  { type: 'withdrawal.updated', text: 'The status of a withdrawal changed' },
]

/** Returns the label of a webhook's state. */
export function stateOfWebhook(webhook: Webhook): { label: string; tone: Tone; why: string | null } {
  const { status, disabledReason, failingSince } = webhook
  if (status === 'disabled')
    return {
      label: 'Off',
      tone: disabledReason === 'owner' ? 'neutral' : 'bad',
      why:
        disabledReason === 'gone'
          ? 'Switched off because its URL returned 410 Gone.'
          : disabledReason === 'failing'
            ? 'Switched off because deliveries failed for five days.'
            : 'Switched off by you. Events are queued.',
    }
  if (failingSince !== null)
    return {
      label: 'Failing',
      tone: 'warn',
      why: 'Deliveries are failing. They are retried for three days.',
    }
  return { label: 'On', tone: 'good', why: null }
}

/** Labels of delivery states. */
export const deliveryStates: Readonly<Record<Delivery['status'], readonly [label: string, tone: Tone]>> = {
  pending: ['Pending', 'info'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
}

const errors: Readonly<Record<NonNullable<Delivery['error']>, string>> = {
  status: 'a response other than 2xx',
  timeout: 'timeout',
  connect: 'connection failed',
  reset: 'connection closed',
  redirect: 'redirect, which is not followed',
  blocked_address: 'address not allowed',
  too_large: 'response too large',
  encoding: 'response could not be decoded',
}

/** Describes the last attempt of a delivery. */
export function describeOutcome({ responseStatus, error, attempts, status }: Delivery): string {
  const tries = attempts === 1 ? 'first attempt' : `${attempts} attempts`
  if (attempts === 0) return 'Not sent yet'
  if (status === 'delivered') return `${responseStatus ?? 'Delivered'}, ${tries}`
  if (error === 'status' && responseStatus !== null) return `${responseStatus}, ${tries}`
  return error === null ? tries : `${errors[error]}, ${tries}`
}
