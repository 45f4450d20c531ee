import { formatUsdc, minUsdc, type Usdc, ZERO } from '@farebox/money'
import type {
  CredentialSettings,
  SpendingLimitBody,
  SpendingLimits,
  UpdateCredentialBody,
} from '@farebox/wire/credentials'
import { changedExpiry } from '@farebox/wire/expiry'
import { intervalStart, type ResetInterval } from '@farebox/wire/intervals'
import { DRAW_AHEAD_MS_MAX } from './budget-rules.ts'

/** A credential as stored. Amounts in micro-USDC. */
export type CredentialRow = {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly status: 'active' | 'revoked' | 'deleted'
  readonly maxCalls: bigint | null
  readonly creditLimit: Usdc | null
  /** Maximum cost of one call. */
  readonly maxCostPerCall: Usdc | null
  readonly rpm: number
  readonly resetInterval: ResetInterval
  readonly allowedServices: readonly string[] | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly callsUsed: bigint
  readonly spent: Usdc
  readonly held: Usdc
  readonly intervalStart: Date
}

/**
 * Current state of a credential: `status` takes expiry into account; `spent` and `held` are those of the current
 * interval.
 */
export type Credential = Omit<CredentialRow, 'status' | 'intervalStart'> & {
  readonly status: CredentialRow['status'] | 'expired'
}

/** The settings of a credential, which its owner can change. */
export type Settings = Pick<
  CredentialRow,
  | 'name'
  | 'maxCalls'
  | 'creditLimit'
  | 'maxCostPerCall'
  | 'rpm'
  | 'resetInterval'
  | 'allowedServices'
  | 'expiresAt'
>

/** Counters that a change of settings may reset. */
export type Counters = Pick<CredentialRow, 'spent' | 'held' | 'intervalStart'>

/**
 * A spending policy as stored. A `monthlyLimit` of null means the gateway's default, unless `allowUnlimited` is set.
 */
export type PolicyRow = {
  readonly monthlyLimit: Usdc | null
  readonly allowUnlimited: boolean
  readonly dailyLimit: Usdc | null
  readonly perCallLimit: Usdc | null
  readonly monthStart: Date
  readonly monthDrawn: Usdc
  readonly dayStart: Date
  readonly dayDrawn: Usdc
}

/**
 * Current state of a spending policy. A `monthlyLimit` of null means no cap. Drawn amounts are captured and held ones,
 * of this month and day.
 */
export type SpendingPolicy = Omit<PolicyRow, 'monthStart' | 'dayStart'>

/** Returns a stored credential as of a time, with expiry and reset intervals applied. */
export function credentialAt(row: CredentialRow, now: Date): Credential {
  const { intervalStart: countedSince, ...credential } = row
  const isExpired =
    row.status === 'active' && row.expiresAt !== null && row.expiresAt.getTime() <= now.getTime()
  const hasReset = countedSince.getTime() < intervalStart(row.resetInterval, now).getTime()
  return {
    ...credential,
    ...(isExpired && { status: 'expired' }),
    ...(hasReset && { spent: ZERO, held: ZERO }),
  }
}

/** Returns true if the call cap is used up. */
export function areCallsExhausted({ callsUsed, maxCalls }: Credential): boolean {
  return maxCalls !== null && callsUsed >= maxCalls
}

/** Returns a stored policy as of a time. */
export function policyAt(row: PolicyRow, now: Date, monthlyDefault: Usdc): SpendingPolicy {
  const { monthStart, dayStart, ...policy } = row
  const isOfThisMonth = monthStart.getTime() >= intervalStart('monthly', now).getTime()
  const isOfToday = dayStart.getTime() >= intervalStart('daily', now).getTime()
  return {
    ...policy,
    monthlyLimit: row.allowUnlimited ? null : (row.monthlyLimit ?? monthlyDefault),
    monthDrawn: isOfThisMonth ? row.monthDrawn : ZERO,
    dayDrawn: isOfToday ? row.dayDrawn : ZERO,
  }
}

/**
 * Returns the highest useful credit limit under a policy: the monthly cap, and for intervals up to a day also the daily
 * cap. Null: unlimited.
 */
export function creditCeiling(policy: SpendingPolicy, interval: ResetInterval): Usdc | null {
  const { monthlyLimit, dailyLimit } = policy
  const daily = interval === 'hourly' || interval === 'daily' ? dailyLimit : null
  if (monthlyLimit === null || daily === null) return monthlyLimit ?? daily
  return minUsdc(monthlyLimit, daily)
}

/** The limits of a policy, which its owner can change. */
export type Limits = Pick<PolicyRow, 'monthlyLimit' | 'allowUnlimited' | 'dailyLimit' | 'perCallLimit'>

/**
 * Applies requested changes to the limits; absent members are unchanged. Setting a monthly cap, or null for the
 * default, clears `allowUnlimited` unless it is also requested; `allowUnlimited` clears the monthly cap.
 */
export function changeLimits(before: Limits, changes: SpendingLimitBody): Limits {
  const { spendingLimitUsdc, dailyLimitUsdc, perCallLimitUsdc } = changes
  const allowUnlimited =
    changes.allowUnlimited ?? (spendingLimitUsdc === undefined ? before.allowUnlimited : false)
  const monthlyLimit = spendingLimitUsdc === undefined ? before.monthlyLimit : spendingLimitUsdc
  return {
    allowUnlimited,
    monthlyLimit: allowUnlimited ? null : monthlyLimit,
    dailyLimit: dailyLimitUsdc === undefined ? before.dailyLimit : dailyLimitUsdc,
    perCallLimit: perCallLimitUsdc === undefined ? before.perCallLimit : perCallLimitUsdc,
  }
}

/** Formats limits for a response. */
export function presentLimits(limits: Limits): SpendingLimits {
  return {
    spendingLimitUsdc: formatOrNull(limits.monthlyLimit),
    allowUnlimited: limits.allowUnlimited,
    dailyLimitUsdc: formatOrNull(limits.dailyLimit),
    perCallLimitUsdc: formatOrNull(limits.perCallLimit),
  }
}

/**
 * Applies requested changes to the settings; absent members are unchanged.
 *
 * @throws GatewayError INVALID_PAYLOAD for an invalid expiry
 */
export function changeSettings(before: Settings, changes: UpdateCredentialBody, now: Date): Settings {
  const { name, maxCalls, creditLimit, maxCostPerCallUsdc, rpm, resetInterval, allowedServices } = changes
  const expiresAt = changedExpiry(changes, now)
  return {
    name: name ?? before.name,
    maxCalls: maxCalls === undefined ? before.maxCalls : maxCalls === null ? null : BigInt(maxCalls),
    creditLimit: creditLimit === undefined ? before.creditLimit : creditLimit,
    maxCostPerCall: maxCostPerCallUsdc === undefined ? before.maxCostPerCall : maxCostPerCallUsdc,
    rpm: rpm ?? before.rpm,
    resetInterval: resetInterval ?? before.resetInterval,
    allowedServices: allowedServices === undefined ? before.allowedServices : allowedServices,
    expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
  }
}

/**
 * Returns the counters after a change of the reset interval. A longer interval keeps them. A shorter one resets them,
 * starting after the time of every earlier draw rather than at its calendar start: calls drawn since that start may still
 * run, and their settlement must not be subtracted from counters that do not include them.
 *
 * @param at.now      database time, read under the row's lock
 * @param at.lastDraw time of the last draw if it is after `now`, as when the database's clock was set back; otherwise null
 */
export function countersAfter(
  counters: Counters,
  interval: ResetInterval,
  { now, lastDraw }: { readonly now: Date; readonly lastDraw: Date | null },
): Counters {
  const { spent, held, intervalStart: countedSince } = counters
  if (countedSince.getTime() >= intervalStart(interval, now).getTime()) {
    return { spent, held, intervalStart: countedSince }
  }
  const drawnUntil = Math.max(now.getTime() + DRAW_AHEAD_MS_MAX, lastDraw?.getTime() ?? 0)
  return { spent: ZERO, held: ZERO, intervalStart: new Date(drawnUntil + 1) }
}

/** Returns the changed settings, before and after, for the audit log; null if there are none. */
export function differenceOf(before: Settings, after: Settings): { before: object; after: object } | null {
  const old: Readonly<Record<string, unknown>> = presentSettings(before)
  const changed: Readonly<Record<string, unknown>> = presentSettings(after)
  const names = Object.keys(old).filter(name => JSON.stringify(old[name]) !== JSON.stringify(changed[name]))
  if (names.length === 0) return null
  const pick = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map(name => [name, from[name]]))
  return { before: pick(old), after: pick(changed) }
}

/** Formats settings for a response: amounts as strings, expiry in Unix seconds. */
export function presentSettings(settings: Settings): CredentialSettings {
  const { name, maxCalls, creditLimit, rpm, resetInterval, allowedServices, expiresAt } = settings
  return {
    name,
    maxCalls: maxCalls === null ? null : Number(maxCalls),
    creditLimit: formatOrNull(creditLimit),
    maxCostPerCallUsdc: formatOrNull(settings.maxCostPerCall),
    rpm,
    resetInterval,
    allowedServices,
    expiresAt: unixSeconds(expiresAt),
  }
}

/** Formats an amount; null stays null. */
export function formatOrNull(amount: Usdc | null): string | null {
  return amount === null ? null : formatUsdc(amount)
}

/**
 * Returns a time in whole Unix seconds, rounded up so that a short lifetime is never shown as over; null stays null.
 */
export function unixSeconds(at: Date | null): number | null {
  return at === null ? null : Math.ceil(at.getTime() / 1_000)
}
