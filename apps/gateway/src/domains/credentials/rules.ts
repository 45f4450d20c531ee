import { formatUsdc, minUsdc, type Usdc, ZERO } from '@farebox/money'
import type {
  CredentialSettings,
  SpendingLimitBody,
  SpendingLimits,
  UpdateCredentialBody,
} from '@farebox/wire/credentials'
import { changedExpiry } from '@farebox/wire/expiry'
import { intervalStart, type ResetInterval } from '@farebox/wire/intervals'

/** A credential as stored. Amounts in micro-USDC. */
export type CredentialRow = {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly status: 'active' | 'revoked' | 'deleted'
  readonly maxCalls: bigint | null
  readonly creditLimit: Usdc | null
  /** Most that one call may cost. */
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

/** A credential as of now: `status` knows of its expiry, `spent` and `held` are of the running interval. */
export type Credential = Omit<CredentialRow, 'status' | 'intervalStart'> & {
  readonly status: CredentialRow['status'] | 'expired'
}

/** The settings of a credential: what its owner may change. */
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

/** The counters that a change of settings may start anew. */
export type Counters = Pick<CredentialRow, 'spent' | 'held' | 'intervalStart'>

/** A spending policy as stored; `monthlyLimit` null: the default of the gateway, unless `allowUnlimited`. */
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

/** A spending policy as of now. `monthlyLimit` null: no cap. Drawn is captured and held, of this month and day. */
export type SpendingPolicy = Omit<PolicyRow, 'monthStart' | 'dayStart'>

/** Reads a stored credential as of an instant: expiry and the end of intervals happen by time alone. */
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

/** Whether the call cap is used up. */
export function areCallsExhausted({ callsUsed, maxCalls }: Credential): boolean {
  return maxCalls !== null && callsUsed >= maxCalls
}

/** Reads a stored policy as of an instant. */
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
 * The highest credit limit that a policy leaves sense in: the monthly cap, and for intervals within a day the
 * daily cap too. Null: any.
 */
export function creditCeiling(policy: SpendingPolicy, interval: ResetInterval): Usdc | null {
  const { monthlyLimit, dailyLimit } = policy
  const daily = interval === 'hourly' || interval === 'daily' ? dailyLimit : null
  if (monthlyLimit === null || daily === null) return monthlyLimit ?? daily
  return minUsdc(monthlyLimit, daily)
}

/** The limits of a policy: what its owner may change. */
export type Limits = Pick<PolicyRow, 'monthlyLimit' | 'allowUnlimited' | 'dailyLimit' | 'perCallLimit'>

/**
 * Applies what a client asked for to the limits; absent members stay. A monthly cap, or null for the default, ends
 * `allowUnlimited` unless it is asked for along with it; `allowUnlimited` ends the monthly cap.
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

/** Limits in the wire's form. */
export function presentLimits(limits: Limits): SpendingLimits {
  return {
    spendingLimitUsdc: formatOrNull(limits.monthlyLimit),
    allowUnlimited: limits.allowUnlimited,
    dailyLimitUsdc: formatOrNull(limits.dailyLimit),
    perCallLimitUsdc: formatOrNull(limits.perCallLimit),
  }
}

/**
 * Applies what a client asked for to the settings; absent members stay.
 *
 * @throws GatewayError INVALID_PAYLOAD for an expiry that cannot be
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
 * What counts as drawn after a change of the reset interval. A longer interval goes on with what is counted. A
 * shorter one starts anew, and at the next millisecond rather than at its calendar start: calls drawn since that
 * start may still run, and their settlement must not be taken from counters that do not hold them.
 *
 * @param now database time, read under the row's lock
 */
export function countersAfter(counters: Counters, interval: ResetInterval, now: Date): Counters {
  const { spent, held, intervalStart: countedSince } = counters
  if (countedSince.getTime() >= intervalStart(interval, now).getTime()) {
    return { spent, held, intervalStart: countedSince }
  }
  return { spent: ZERO, held: ZERO, intervalStart: new Date(now.getTime() + 1) }
}

/** The settings that differ, before and after, as the audit log keeps them. Null: none differ. */
export function differenceOf(before: Settings, after: Settings): { before: object; after: object } | null {
  const old: Readonly<Record<string, unknown>> = presentSettings(before)
  const changed: Readonly<Record<string, unknown>> = presentSettings(after)
  const names = Object.keys(old).filter(name => JSON.stringify(old[name]) !== JSON.stringify(changed[name]))
  if (names.length === 0) return null
  const pick = (from: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map(name => [name, from[name]]))
  return { before: pick(old), after: pick(changed) }
}

/** Settings in the wire's form: amounts as strings, expiry in Unix seconds. */
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

/** An amount as the wire has it, or null. */
export function formatOrNull(amount: Usdc | null): string | null {
  return amount === null ? null : formatUsdc(amount)
}

/** An instant in whole Unix seconds, rounded up so that a short life is never shown as over; or null. */
export function unixSeconds(at: Date | null): number | null {
  return at === null ? null : Math.ceil(at.getTime() / 1_000)
}
