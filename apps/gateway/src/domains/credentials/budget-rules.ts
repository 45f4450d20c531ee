import { type Usdc, usdc } from '@farebox/money'
import { intervalEnd, intervalStart, type ResetInterval } from '@farebox/wire/intervals'

/** Maximum lead of the time of a draw, which a gateway estimates, over the database's clock, in ms. */
export const DRAW_AHEAD_MS_MAX = 200

/** Budget columns of a locked credential. Amounts in micro-USDC, database times. */
export type CredentialBudget = {
  readonly id: string
  readonly owner: string
  readonly status: 'active' | 'revoked' | 'deleted'
  readonly expiresAt: Date | null
  readonly maxCalls: bigint | null
  readonly creditLimit: bigint | null
  /** Maximum hold of one call. */
  readonly maxCostPerCall: bigint | null
  readonly rpm: number
  readonly resetInterval: ResetInterval
  readonly callsUsed: bigint
  /** Captured and held amounts of calls since `intervalStart`. */
  readonly spent: bigint
  readonly held: bigint
  readonly intervalStart: Date
  /** Requests of the last minute; see {@link admitAtRate}. */
  readonly rateWindow: Buffer
  /** SHA-256 of the current token, and of the previous one, which is valid until `previousExpiresAt`. */
  readonly tokenHash: Buffer
  readonly previousTokenHash: Buffer | null
  readonly previousExpiresAt: Date | null
  /** Ids and agentToolNames of the allowed services; null: all. */
  readonly allowedServices: readonly string[] | null
}

/** A locked spending policy. A `monthlyLimit` of null means no cap. `drawn` amounts include captured and held ones. */
export type PolicyBudget = {
  readonly owner: string
  /** True if the owner's wallet is suspended, so that it cannot spend. */
  readonly isSuspended: boolean
  readonly monthlyLimit: bigint | null
  readonly dailyLimit: bigint | null
  readonly perCallLimit: bigint | null
  readonly monthStart: Date
  readonly monthDrawn: bigint
  readonly dayStart: Date
  readonly dayDrawn: bigint
}

/** The limit that refused a call, and what is left of it; `detail` of BUDGET_EXHAUSTED. */
export type Exhausted = {
  readonly limit:
    | 'credential_calls'
    | 'credential_per_call'
    | 'credential_credit'
    | 'policy_per_call'
    | 'policy_daily'
    | 'policy_monthly'
  readonly remaining: Usdc
  /** The full limit, in micro-USDC; null for a limit of calls. */
  readonly cap: bigint | null
  /** Time of the next reset; null for limits that never reset and for limits per call. */
  readonly resetsAt: Date | null
}

/** The credential and the policy that a call draws on. */
export type BudgetPair = { readonly credential: CredentialBudget; readonly policy: PolicyBudget }

/** Returns true if a token is valid for a credential: the current one, or the previous one during its overlap. */
export function isOpenedBy(
  credential: Pick<CredentialBudget, 'tokenHash' | 'previousTokenHash' | 'previousExpiresAt'>,
  tokenDigest: Buffer,
  now: Date,
): boolean {
  const { tokenHash, previousTokenHash, previousExpiresAt } = credential
  if (tokenHash.equals(tokenDigest)) return true
  const overlaps = previousExpiresAt !== null && previousExpiresAt.getTime() > now.getTime()
  return overlaps && previousTokenHash?.equals(tokenDigest) === true
}

/** Returns true if a credential may call the service that has these names. */
export function mayCall(
  { allowedServices }: Pick<CredentialBudget, 'allowedServices'>,
  names: readonly string[],
): boolean {
  return allowedServices === null || names.some(name => allowedServices.includes(name))
}

/** Starts a new interval if the last one has ended, which resets its usage. */
export function rollCredential(credential: CredentialBudget, now: Date): CredentialBudget {
  const start = intervalStart(credential.resetInterval, now)
  if (start.getTime() <= credential.intervalStart.getTime()) return credential
  return { ...credential, intervalStart: start, spent: 0n, held: 0n }
}

/** Starts a new day and month if the last ones have ended. */
export function rollPolicy(policy: PolicyBudget, now: Date): PolicyBudget {
  const day = intervalStart('daily', now)
  const month = intervalStart('monthly', now)
  const isNewDay = day.getTime() > policy.dayStart.getTime()
  const isNewMonth = month.getTime() > policy.monthStart.getTime()
  if (!isNewDay && !isNewMonth) return policy
  return {
    ...policy,
    ...(isNewDay && { dayStart: day, dayDrawn: 0n }),
    ...(isNewMonth && { monthStart: month, monthDrawn: 0n }),
  }
}

/**
 * Draws a call and its hold on all limits at once, or on none.
 *
 * @param pair the locked rows, rolled to `now`
 * @param hold in micro-USDC
 */
export function drawCall(pair: BudgetPair, hold: Usdc): BudgetPair | Exhausted {
  const { credential, policy } = pair
  const refused =
    credentialRefusal(credential, hold, credential.intervalStart) ?? policyRefusal(policy, hold, policy)
  if (refused !== null) return refused
  return {
    credential: { ...credential, callsUsed: credential.callsUsed + 1n, held: credential.held + hold },
    policy: { ...policy, dayDrawn: policy.dayDrawn + hold, monthDrawn: policy.monthDrawn + hold },
  }
}

/**
 * Returns the limit of a credential that refuses a call, and what is left of it; null if none does.
 *
 * @param at a time of the interval of the amounts
 */
export function credentialRefusal(
  credential: Pick<
    CredentialBudget,
    'maxCalls' | 'callsUsed' | 'maxCostPerCall' | 'creditLimit' | 'spent' | 'held' | 'resetInterval'
  >,
  hold: Usdc,
  at: Date,
): Exhausted | null {
  const { maxCalls, callsUsed, maxCostPerCall, creditLimit, spent, held, resetInterval } = credential
  if (maxCalls !== null && callsUsed >= maxCalls) {
    const remaining = remainingCredit(credential) ?? usdc(0n)
    return { limit: 'credential_calls', remaining, cap: null, resetsAt: null }
  }
  return firstExceeded(hold, [
    ['credential_per_call', maxCostPerCall, 0n, 'never', at],
    ['credential_credit', creditLimit, spent + held, resetInterval, at],
  ])
}

/** Returns the limit of a policy that refuses a hold, and what is left of it; null if none does. */
export function policyRefusal(
  policy: Pick<PolicyBudget, 'perCallLimit' | 'dailyLimit' | 'dayDrawn' | 'monthlyLimit' | 'monthDrawn'>,
  hold: Usdc,
  { dayStart, monthStart }: Pick<PolicyBudget, 'dayStart' | 'monthStart'>,
): Exhausted | null {
  return firstExceeded(hold, [
    ['policy_per_call', policy.perCallLimit, 0n, 'never', dayStart],
    ['policy_daily', policy.dailyLimit, policy.dayDrawn, 'daily', dayStart],
    ['policy_monthly', policy.monthlyLimit, policy.monthDrawn, 'monthly', monthStart],
  ])
}

/** A limit, its size and what is drawn of it, and the interval in which it resets: the one at a time. */
type Limit = readonly [Exhausted['limit'], cap: bigint | null, drawn: bigint, ResetInterval, at: Date]

function firstExceeded(hold: Usdc, limits: readonly Limit[]): Exhausted | null {
  for (const [limit, cap, drawn, interval, at] of limits) {
    if (cap === null || drawn + hold <= cap) continue
    return {
      limit,
      remaining: usdc(cap > drawn ? cap - drawn : 0n),
      cap,
      resetsAt: intervalEnd(interval, at),
    }
  }
  return null
}

/**
 * Ends a draw: releases the hold, keeps the charge, and returns the call if it was not charged. Only changes intervals
 * that were current at the draw, as usage of earlier ones has been reset.
 *
 * @param draw.drawnAt database time of the hold
 * @param draw.charge  micro-USDC; 0 for a release
 * @param draw.keepsCall false to return the call
 */
export function settleCall(
  pair: BudgetPair,
  draw: { hold: Usdc; charge: Usdc; drawnAt: Date; keepsCall: boolean },
): BudgetPair {
  const { hold, charge, drawnAt, keepsCall } = draw
  const isWithin = (start: Date) => drawnAt.getTime() >= start.getTime()
  const { credential, policy } = pair
  const counts = isWithin(credential.intervalStart)
  return {
    credential: {
      ...credential,
      callsUsed: keepsCall ? credential.callsUsed : credential.callsUsed - 1n,
      held: counts ? credential.held - hold : credential.held,
      spent: counts ? credential.spent + charge : credential.spent,
    },
    policy: {
      ...policy,
      dayDrawn: isWithin(policy.dayStart) ? policy.dayDrawn - (hold - charge) : policy.dayDrawn,
      monthDrawn: isWithin(policy.monthStart) ? policy.monthDrawn - (hold - charge) : policy.monthDrawn,
    },
  }
}

/** Returns the limit of a credential that is used up; null if it can still make a call, even if only a free one. */
export function emptyLimit(credential: CredentialBudget): 'credential_calls' | 'credential_credit' | null {
  if (credential.maxCalls !== null && credential.callsUsed >= credential.maxCalls) return 'credential_calls'
  return remainingCredit(credential) === 0n ? 'credential_credit' : null
}

function remainingCredit(credential: Pick<CredentialBudget, 'creditLimit' | 'spent' | 'held'>): Usdc | null {
  if (credential.creditLimit === null) return null
  const left = credential.creditLimit - credential.spent - credential.held
  return usdc(left > 0n ? left : 0n)
}
