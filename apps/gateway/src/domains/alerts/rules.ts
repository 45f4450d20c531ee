import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { BUDGET_PERCENTS } from '@farebox/wire/alerts'
import type { ResetInterval } from '@farebox/wire/intervals'
import type { WebhookEvent } from '@farebox/wire/webhook-events'

type AlertEvent = Extract<
  WebhookEvent,
  { readonly type: 'budget.reached' | 'balance.low' | 'failure_rate.high' }
>

/** An alert to raise. */
export type Alert = AlertEvent & {
  /** The wallet, in lower case. */
  readonly owner: string
  /** Of several alerts of an owner with the same key, only the first is raised. */
  readonly onceKey: string | null
  /** True if the key may come again at any time, so that the alert must be kept. */
  readonly isLasting: boolean
}

/** Balance of a wallet after a row of the log, in micro-USDC; `posted` includes holds. */
export type Balance = { readonly posted: bigint; readonly reserved: bigint }

/**
 * Returns the alerts of a balance: one each time it falls below the threshold.
 *
 * @param watch.seen     balance before
 * @param watch.balances in order
 */
export function balanceAlerts(watch: {
  owner: string
  threshold: Usdc
  seen: bigint
  balances: readonly Balance[]
}): Alert[] {
  const { owner, threshold, balances } = watch
  return balances.flatMap(({ posted, reserved }, index): Alert[] => {
    const before = balances[index - 1]?.posted ?? watch.seen
    if (posted >= threshold || before < threshold) return []
    const data = {
      balanceUsdc: formatUsdc(usdc(posted)),
      availableUsdc: formatUsdc(usdc(posted - reserved)),
      heldUsdc: formatUsdc(usdc(reserved)),
      thresholdUsdc: formatUsdc(threshold),
    }
    return [{ owner, type: 'balance.low', data, onceKey: null, isLasting: false }]
  })
}

/** Use of a credential in an interval. Amounts in micro-USDC. */
export type BudgetUse = {
  readonly owner: string
  readonly credentialId: string
  readonly maxCalls: bigint | null
  readonly creditLimit: bigint | null
  readonly callsUsed: bigint
  readonly spent: bigint
  readonly resetInterval: ResetInterval
  readonly intervalStart: Date
  /** True if a call was refused because it needed more credit than was left. */
  readonly isRefused: boolean
  /** Percents that the owner watches. */
  readonly percents: readonly number[]
}

/**
 * Returns the alerts of a credential's budgets, of all percents that are reached. Their keys have the limit and, for
 * credit, the interval: each is raised once for them. A refused call raises only 100% of the credit: the rest may never
 * be used.
 */
export function budgetAlerts(use: BudgetUse): Alert[] {
  const { maxCalls, creditLimit, callsUsed, spent, isRefused, intervalStart } = use
  const watched = BUDGET_PERCENTS.filter(percent => use.percents.includes(percent))
  return watched.flatMap(percent => {
    const reaches = (used: bigint, limit: bigint) => used * 100n >= limit * BigInt(percent)
    const raised: Alert[] = []
    if (!isRefused && maxCalls !== null && reaches(callsUsed, maxCalls)) {
      raised.push(
        budgetAlert(use, { limit: 'credential_calls', percent, cap: `${maxCalls}`, isLasting: true }),
      )
    }
    const hasCredit = creditLimit !== null && creditLimit > 0n
    if (hasCredit && (isRefused ? percent === 100 : reaches(spent, creditLimit))) {
      const cap = `${creditLimit} ${intervalStart.toISOString()}`
      const isLasting = use.resetInterval === 'never'
      raised.push(budgetAlert(use, { limit: 'credential_credit', percent, cap, isLasting }))
    }
    return raised
  })
}

function budgetAlert(
  use: BudgetUse,
  reached: {
    limit: 'credential_calls' | 'credential_credit'
    percent: 80 | 100
    cap: string
    isLasting: boolean
  },
): Alert {
  const { owner, credentialId, maxCalls, creditLimit, resetInterval, intervalStart } = use
  const { limit, percent, cap, isLasting } = reached
  const data = {
    credentialId,
    limit,
    percent,
    callsUsed: Number(use.callsUsed),
    maxCalls: maxCalls === null ? null : Number(maxCalls),
    spentUsdc: formatUsdc(usdc(use.spent)),
    creditLimit: creditLimit === null ? null : formatUsdc(usdc(creditLimit)),
    resetInterval,
    intervalStart: intervalStart.toISOString(),
  }
  return {
    owner,
    type: 'budget.reached',
    data,
    onceKey: `${credentialId} ${limit} ${percent} ${cap}`,
    isLasting,
  }
}

/** Calls of an owner in the last hour, and what the owner watches. */
export type CallRate = {
  readonly owner: string
  readonly calls: number
  readonly failures: number
  readonly percent: number
  readonly minCalls: number
  /** True since an alert, until the rate is back within the limit. */
  readonly isFailing: boolean
}

/** Returns true if more calls failed than the limit. */
export const isFailing = ({ calls, failures, percent, minCalls }: CallRate): boolean =>
  calls >= minCalls && failures * 100 > percent * calls

/** Returns the alert of a failure rate that went above the limit. */
export function failureAlerts(rate: CallRate): Alert[] {
  if (rate.isFailing || !isFailing(rate)) return []
  const { owner, calls, failures, percent, minCalls } = rate
  const data = { calls, failures, percent, minCalls }
  return [{ owner, type: 'failure_rate.high', data, onceKey: null, isLasting: false }]
}
