import type { AnswerOf, InputOf } from '@farebox/client'
import { formatUsdc } from '@farebox/money'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { writeAmount } from '../../../ui/values/amounts.ts'
import { readOptional } from '../../../ui/values/read-amount.ts'

export type Alert = AnswerOf<'listAlerts'>['alerts'][number]
export type AlertSettings = AnswerOf<'readAlertSettings'>['settings']
export type AlertChange = InputOf<'updateAlertSettings'>['body']

/** Types of webhook events that are alerts. */
export const alertTypes: readonly string[] = [
  'budget.reached',
  'balance.low',
  'failure_rate.high',
] satisfies Alert['type'][]

/** Suggested settings of a wallet that has set none. */
export const suggested = {
  budgetPercents: [80, 100],
  balanceBelowUsdc: '1',
  failureRate: { percent: 20, minCalls: 20 },
} satisfies AlertChange

/** Returns true if settings watch nothing. */
export const isOff = ({ budgetPercents, balanceBelowUsdc, failureRate }: AlertSettings): boolean =>
  budgetPercents.length === 0 && balanceBelowUsdc === null && failureRate === null

/** Returns what an alert is about, in a few words and in a sentence. */
export function describeAlert(alert: Alert): { title: string; detail: string } {
  if (alert.type === 'balance.low') {
    const { balanceUsdc, thresholdUsdc } = alert.data
    return {
      title: 'Low balance',
      detail: `${formatAmount(balanceUsdc)} USDC left, below ${formatAmount(thresholdUsdc)}.`,
    }
  }
  if (alert.type === 'failure_rate.high') {
    const { calls, failures, percent } = alert.data
    return {
      title: 'Failing calls',
      detail: `${failures} of ${calls} calls in one hour failed, more than ${percent}%.`,
    }
  }
  const { limit, percent, callsUsed, maxCalls, spentUsdc, creditLimit, resetInterval } = alert.data
  const isCalls = limit === 'credential_calls'
  const used = isCalls
    ? `${callsUsed} of ${maxCalls} calls made.`
    : `${formatAmount(spentUsdc)} of ${formatAmount(creditLimit ?? '0')} USDC spent${resetInterval === 'never' ? '' : ` (${resetInterval})`}.`
  const budget = isCalls ? 'calls' : 'credit'
  // A call was refused although some credit is left.
  if (!isCalls && percent === 100 && Number(spentUsdc) < Number(creditLimit))
    return { title: 'Too little credit for a call', detail: used }
  return { title: percent === 100 ? `No ${budget} left` : `${percent}% of ${budget} used`, detail: used }
}

/** Settings as they are typed. */
export type TypedAlerts = {
  readonly at80: boolean
  readonly at100: boolean
  readonly below: string
  readonly percent: string
  readonly minCalls: string
  readonly byEmail: boolean
  readonly byWebhook: boolean
}

export const typedOf = (settings: AlertSettings): TypedAlerts => ({
  at80: settings.budgetPercents.includes(80),
  at100: settings.budgetPercents.includes(100),
  below: writeAmount(settings.balanceBelowUsdc),
  percent: String(settings.failureRate?.percent ?? ''),
  minCalls: String(settings.failureRate?.minCalls ?? ''),
  byEmail: settings.byEmail,
  byWebhook: settings.byWebhook,
})

type Problems = { readonly below?: string; readonly percent?: string; readonly minCalls?: string }

/** Reads typed settings; `change` is absent when there are problems. */
export function readAlerts(typed: TypedAlerts): { change?: AlertChange; problems: Problems } {
  const below = readOptional(typed.below)
  const [percent, minCalls] = [typed.percent.trim(), typed.minCalls.trim()]
  const hasRate = percent !== '' || minCalls !== ''
  const problems: Problems = {
    ...('error' in below
      ? { below: below.error }
      : below.amount === 0n && { below: 'Enter an amount above 0, or leave the field empty.' }),
    ...(hasRate && !isWhole(percent, 100) && { percent: 'Enter a whole number from 1 to 100.' }),
    ...(hasRate && !isWhole(minCalls, 1_000_000) && { minCalls: 'Enter a whole number of 1 or more.' }),
  }
  if ('error' in below || Object.keys(problems).length > 0) return { problems }
  return {
    problems,
    change: {
      budgetPercents: ([80, 100] as const).filter(percent => (percent === 80 ? typed.at80 : typed.at100)),
      balanceBelowUsdc: below.amount === null ? null : formatUsdc(below.amount),
      failureRate: hasRate ? { percent: Number(percent), minCalls: Number(minCalls) } : null,
      byEmail: typed.byEmail,
      byWebhook: typed.byWebhook,
    },
  }
}

const isWhole = (text: string, max: number): boolean =>
  /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max
