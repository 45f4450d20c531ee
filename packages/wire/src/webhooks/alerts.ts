import type { Usdc } from '@farebox/money'
import { z } from 'zod'
import {
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  nextCursor,
  type Output,
  success,
  usdcIn,
  usdcOut,
} from '../common.ts'
import { strict } from '../strict.ts'
import { webhookData } from './webhook-events.ts'

/** Shares of a budget of which owners are alerted, in percent. */
export const BUDGET_PERCENTS = [80, 100] as const
/** Maximum of `minCalls`. */
const CALLS_MIN_MAX = 1_000_000

/** Types of alerts. They are webhook events too. */
export const alertTypes = ['budget.reached', 'balance.low', 'failure_rate.high'] as const
export type AlertType = (typeof alertTypes)[number]

const budgetPercent = z.literal(BUDGET_PERCENTS)
const failureRate = {
  percent: z.int().min(1).max(100).meta({ description: 'Alert above this share of failed calls.' }),
  minCalls: z
    .int()
    .min(1)
    .max(CALLS_MIN_MAX)
    .meta({ description: 'Minimum number of calls in the last hour.' }),
}

/** Body of `PATCH /alerts/settings`; absent members are unchanged. */
export const changeAlertsBody = strict({
  budgetPercents: z
    .array(budgetPercent)
    .max(BUDGET_PERCENTS.length)
    .transform(percents => [...new Set(percents)].sort((one, other) => one - other))
    .optional()
    .meta({ description: 'Alert when a credential has used this share of its credit or calls, in percent.' }),
  balanceBelowUsdc: usdcIn
    .refine((amount: Usdc) => amount > 0n, 'Must be more than 0; null turns the alert off.')
    .nullable()
    .optional()
    .meta({ description: 'Alert when the balance, holds included, falls below; null: off.' }),
  failureRate: strict(failureRate).nullable().optional().meta({ description: 'Null: off.' }),
  byEmail: z.boolean().optional(),
  byWebhook: z.boolean().optional(),
}).refine(body => Object.values(body).some(value => value !== undefined), 'Must change at least one member.')
export type ChangeAlertsBody = z.output<typeof changeAlertsBody>

const emailStatus = z.enum(['ready', 'no_address', 'off_in_profile', 'no_mail_server'])
export type AlertEmailStatus = z.output<typeof emailStatus>

/** Settings of alerts as the API returns them. */
const alertSettings = z.object({
  budgetPercents: z.array(budgetPercent).max(BUDGET_PERCENTS.length),
  balanceBelowUsdc: usdcOut.nullable(),
  failureRate: z.object(failureRate).nullable(),
  byEmail: z.boolean(),
  byWebhook: z.boolean().meta({ description: 'To the webhooks that subscribe to the type of the alert.' }),
  emailStatus: emailStatus.meta({
    description:
      'Whether mail can be sent: to a verified address, unless `notifications` of the profile is false or the gateway sends no mail.',
  }),
  updatedAt: isoTime.nullable().meta({ description: 'Null if nothing was ever set.' }),
})
export type AlertSettings = Output<typeof alertSettings>

/** Answer of `GET` and `PATCH /alerts/settings`. */
export const alertSettingsAnswer = z.object({ status: success, settings: alertSettings })

const shown = { id: idOut('alrt'), firedAt: isoTime, isMailed: z.boolean() }
/** An alert as the API returns it; `data` is that of the webhook event of its type. */
const shownAlert = z.discriminatedUnion('type', [
  z.object({ ...shown, type: z.literal('budget.reached'), data: webhookData['budget.reached'] }),
  z.object({ ...shown, type: z.literal('balance.low'), data: webhookData['balance.low'] }),
  z.object({ ...shown, type: z.literal('failure_rate.high'), data: webhookData['failure_rate.high'] }),
])
export type ShownAlert = Output<typeof shownAlert>

/** Answer of `GET /alerts`, newest first. */
export const listAlertsAnswer = z.object({
  status: success,
  alerts: z.array(shownAlert).max(LIST_LIMIT_MAX),
  nextCursor,
})
