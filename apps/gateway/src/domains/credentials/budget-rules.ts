import { type Usdc, usdc } from '@farebox/money'
import { intervalEnd, intervalStart, type ResetInterval } from '@farebox/wire/intervals'

/** A locked credential, as far as budgets go. Amounts in micro-USDC, times of the database. */
export type CredentialBudget = {
  readonly id: string
  readonly owner: string
  readonly status: 'active' | 'revoked' | 'deleted'
  readonly expiresAt: Date | null
  readonly maxCalls: bigint | null
  readonly creditLimit: bigint | null
  /** Most that one call may be held for. */
  readonly maxCostPerCall: bigint | null
  readonly rpm: number
  readonly resetInterval: ResetInterval
  readonly callsUsed: bigint
  /** Captured and open amounts of calls drawn since `intervalStart`. */
  readonly spent: bigint
  readonly held: bigint
  readonly intervalStart: Date
  /** The requests of the last minute; see {@link admitAtRate}. */
  readonly rateWindow: Buffer
  /** SHA-256 of the token that opens it, and of the one before, which does until a time. */
  readonly tokenHash: Buffer
  readonly previousTokenHash: Buffer | null
  readonly previousExpiresAt: Date | null
  /** Ids and agentToolNames of the services it may call; null: all. */
  readonly allowedServices: readonly string[] | null
}

/** A locked spending policy. `monthlyLimit` null: no cap. `drawn` amounts are captured and open together. */
export type PolicyBudget = {
  readonly owner: string
  /** Whether the owner may not spend at all: the wallet is suspended. */
  readonly isSuspended: boolean
  readonly monthlyLimit: bigint | null
  readonly dailyLimit: bigint | null
  readonly perCallLimit: bigint | null
  readonly monthStart: Date
  readonly monthDrawn: bigint
  readonly dayStart: Date
  readonly dayDrawn: bigint
}

/** Which limit refused a call, and what it has left; `detail` of BUDGET_EXHAUSTED. */
export type Exhausted = {
  readonly limit:
    | 'credential_calls'
    | 'credential_per_call'
    | 'credential_credit'
    | 'policy_per_call'
    | 'policy_daily'
    | 'policy_monthly'
  readonly remaining: Usdc
  /** The whole limit, micro-USDC; null for one of calls. */
  readonly cap: bigint | null
  /** When it is whole again; null: never, or it holds for each call alone. */
  readonly resetsAt: Date | null
}

/** The two rows that one call draws on. */
export type BudgetPair = { readonly credential: CredentialBudget; readonly policy: PolicyBudget }

/** Whether a token opens a credential now: its own one, or the one before within its overlap. */
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

/** Whether a credential may call a service that has these names. */
export function mayCall(
  { allowedServices }: Pick<CredentialBudget, 'allowedServices'>,
  names: readonly string[],
): boolean {
  return allowedServices === null || names.some(name => allowedServices.includes(name))
}

/** Starts the interval anew when it has passed: what was drawn before does not count any more. */
export function rollCredential(credential: CredentialBudget, now: Date): CredentialBudget {
  const start = intervalStart(credential.resetInterval, now)
  if (start.getTime() <= credential.intervalStart.getTime()) return credential
  return { ...credential, intervalStart: start, spent: 0n, held: 0n }
}

/** Starts day and month anew when they have passed. */
export function rollPolicy(policy: PolicyBudget, now: Date): PolicyBudget {
  const day = intervalStart('daily', now)
  const month = intervalStart('monthly', now)
  const isNewDay = day.getTime() > policy.dayStart.getTime()
  const isNewMonth = month.getTime() > policy.monthStart.getTime()
  return {
    ...policy,
    ...(isNewDay && { dayStart: day, dayDrawn: 0n }),
    ...(isNewMonth && { monthStart: month, monthDrawn: 0n }),
  }
}

/**
 * Draws one call and its hold on every limit at once, or on none.
 *
 * @param pair the rows as locked, rolled to `now`
 * @param hold micro-USDC to be held
 */
export function drawCall(pair: BudgetPair, hold: Usdc): BudgetPair | Exhausted {
  const { credential, policy } = pair
  if (credential.maxCalls !== null && credential.callsUsed >= credential.maxCalls) {
    const remaining = remainingCredit(credential) ?? usdc(0n)
    return { limit: 'credential_calls', remaining, cap: null, resetsAt: null }
  }
  const creditEnds = intervalEnd(credential.resetInterval, credential.intervalStart)
  const limits: [Exhausted['limit'], limit: bigint | null, drawn: bigint, resetsAt: Date | null][] = [
    ['credential_per_call', credential.maxCostPerCall, 0n, null],
    ['credential_credit', credential.creditLimit, credential.spent + credential.held, creditEnds],
    ['policy_per_call', policy.perCallLimit, 0n, null],
    ['policy_daily', policy.dailyLimit, policy.dayDrawn, intervalEnd('daily', policy.dayStart)],
    ['policy_monthly', policy.monthlyLimit, policy.monthDrawn, intervalEnd('monthly', policy.monthStart)],
  ]
  for (const [limit, cap, drawn, resetsAt] of limits) {
    if (cap === null || drawn + hold <= cap) continue
    return { limit, remaining: usdc(cap > drawn ? cap - drawn : 0n), cap, resetsAt }
  }
  return {
    credential: { ...credential, callsUsed: credential.callsUsed + 1n, held: credential.held + hold },
    policy: { ...policy, dayDrawn: policy.dayDrawn + hold, monthDrawn: policy.monthDrawn + hold },
  }
}

/**
 * Ends a draw: the hold makes room, the charge stays; a call that was not charged for is given back. Counts only
 * in intervals that still run: a hold of yesterday is no part of what today has drawn.
 *
 * @param draw.drawnAt database time of the hold
 * @param draw.charge  micro-USDC; 0 for a release
 * @param draw.keepsCall false gives the call back
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

/** The limit of a credential of which nothing is left; null when it can make a call, be it one for nothing. */
export function emptyLimit(credential: CredentialBudget): 'credential_calls' | 'credential_credit' | null {
  if (credential.maxCalls !== null && credential.callsUsed >= credential.maxCalls) return 'credential_calls'
  return remainingCredit(credential) === 0n ? 'credential_credit' : null
}

function remainingCredit(credential: CredentialBudget): Usdc | null {
  if (credential.creditLimit === null) return null
  const left = credential.creditLimit - credential.spent - credential.held
  return usdc(left > 0n ? left : 0n)
}
