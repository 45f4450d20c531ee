import type { AnswerOf } from '@farebox/client'
import { parseUsdc, type Usdc } from '@farebox/money'
import { formatWithUnit } from '../../../ui/values/amounts.ts'

export type Policy = AnswerOf<'readSpendingPolicy'>
/** Requested limits; null for none. */
export type Wanted = { readonly month: Usdc | null; readonly day: Usdc | null; readonly call: Usdc | null }

export type Consequence = { readonly tone: 'info' | 'warn'; readonly text: string }

/** Returns the current limits. */
export function wantedOf(policy: Policy): Wanted {
  const read = (wire: string | null) => (wire === null ? null : parseUsdc(wire))
  return {
    month: policy.allowUnlimited ? null : read(policy.spendingLimitUsdc),
    day: read(policy.dailyLimitUsdc),
    call: read(policy.perCallLimitUsdc),
  }
}

/** Describes the consequences of limits, by the spending so far. */
export function describeConsequences(
  wanted: Wanted,
  policy: Policy,
  credentials: readonly { readonly name: string; readonly creditLimit: string | null }[],
  now: Date,
): readonly Consequence[] {
  const { month, day, call } = wanted
  const consequences: Consequence[] = []
  const monthUsed = parseUsdc(policy.spentThisMonthUsdc)
  const dayUsed = parseUsdc(policy.spentTodayUsdc)
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  const name = nextMonth.toLocaleDateString('en', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  if (month === null) {
    consequences.push({
      tone: 'warn',
      text: 'No monthly limit. Your credentials are limited only by their own limits and your balance.',
    })
  } else if (monthUsed >= month) {
    consequences.push({
      tone: 'warn',
      text: `${formatWithUnit(monthUsed)} was already used this month. Every paid call is refused until ${name}.`,
    })
  } else {
    consequences.push({
      tone: 'info',
      text: `${formatWithUnit((month - monthUsed) as Usdc)} left this month. The limit resets on ${name}, 00:00 UTC.`,
    })
  }
  if (day !== null) {
    consequences.push(
      dayUsed >= day
        ? {
            tone: 'warn',
            text: `${formatWithUnit(dayUsed)} was already used today. Every paid call is refused until 00:00 UTC.`,
          }
        : {
            tone: 'info',
            text: `${formatWithUnit((day - dayUsed) as Usdc)} left today, until 00:00 UTC.`,
          },
    )
    if (month !== null && day > month)
      consequences.push({
        tone: 'warn',
        text: 'The daily limit is above the monthly limit, so the monthly limit applies.',
      })
  }
  if (call !== null)
    consequences.push({
      tone: 'info',
      text: `A call that would hold more than ${formatWithUnit(call)} is refused. Model calls count by their hold.`,
    })
  if (month !== null) {
    const above = credentials.filter(
      ({ creditLimit }) => creditLimit !== null && parseUsdc(creditLimit) > month,
    )
    if (above.length > 0)
      consequences.push({
        tone: 'warn',
        text: `${above.map(({ name: each }) => each).join(', ')} ${above.length === 1 ? 'has' : 'have'} a higher limit than the month, so the monthly limit applies.`,
      })
  }
  return consequences
}

/** Returns whether the change needs a confirmation: it removes the monthly limit, or stops calls now. */
export function questionOf(wanted: Wanted, policy: Policy): 'unlimited' | 'stops' | null {
  const before = wantedOf(policy)
  if (wanted.month === null && before.month !== null) return 'unlimited'
  const isUsedUp = (limit: Usdc | null, was: Usdc | null, used: Usdc) =>
    limit !== null && used >= limit && (was === null || used < was)
  const stops =
    isUsedUp(wanted.month, before.month, parseUsdc(policy.spentThisMonthUsdc)) ||
    isUsedUp(wanted.day, before.day, parseUsdc(policy.spentTodayUsdc))
  return stops ? 'stops' : null
}
