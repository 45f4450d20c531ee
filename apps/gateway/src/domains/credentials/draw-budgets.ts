import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { admitAtRate, type RateDecision } from '../../runtime/rate-window.ts'
import {
  type BudgetPair,
  type CredentialBudget,
  drawCall,
  emptyLimit,
  isOpenedBy,
  mayCall,
  type PolicyBudget,
  rollCredential,
  rollPolicy,
  settleCall,
} from './budget-rules.ts'

export { type CredentialBudget, DRAW_AHEAD_MS_MAX, type PolicyBudget } from './budget-rules.ts'

/** State of a rate limit after a request. */
export type Rate = Pick<RateDecision, 'remaining' | 'seconds'> & { readonly rpm: number }

/** Credentials by id and spending policies by owner. */
export type BudgetRows = {
  readonly credentials: ReadonlyMap<string, CredentialBudget>
  readonly policies: ReadonlyMap<string, PolicyBudget>
}

/** Budgets of one batch. Decisions change them in memory only. */
export type Budgets = {
  /**
   * Counts a request towards the rate limit of its credential.
   * @param tokenDigest digest of the request's token, which may have been replaced by a rotation since
   * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED, RATE_LIMITED
   */
  countRequest(credentialId: string, tokenDigest: Buffer): Rate
  /**
   * Checks the credential of a request that has already been counted.
   * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED
   */
  requireUsable(credentialId: string, tokenDigest: Buffer): void
  /**
   * Checks the allow-list of a credential.
   * @param names the service's id, then its current and previous names; a name on an allow-list is never given to
   * another service
   * @throws GatewayError SERVICE_NOT_ALLOWED
   */
  requireAllowed(credentialId: string, names: readonly string[]): void
  /**
   * Draws a call and its hold on all limits of the credential and the owner's policy, or on none.
   * @returns the time of the draw, to be passed to `settle`; never before the start of an interval that it counts in
   * @throws GatewayError BUDGET_EXHAUSTED, see {@link budgetExhausted}
   */
  draw(credentialId: string, hold: Usdc): Date
  /** Reverts a draw of this transaction. */
  undraw(credentialId: string, draw: { hold: Usdc; drawnAt: Date }): void
  /** Ends a draw; see {@link settleCall}. */
  settle(credentialId: string, draw: { hold: Usdc; charge: Usdc; drawnAt: Date; keepsCall: boolean }): void
  /** Returns the credentials whose calls or credit the decisions so far have exhausted, each with the limit. */
  exhausted(): ExhaustedCredential[]
  /** Returns the changed rows, after all decisions. */
  changes(): BudgetRows
}

/** A credential that has used up a limit (`isEmpty`), or refused a call that needed more than was left. */
export type ExhaustedCredential = {
  readonly limit: 'credential_calls' | 'credential_credit'
  readonly isEmpty: boolean
  readonly credential: CredentialBudget
}

/**
 * Returns budgets to decide a batch with.
 *
 * @param seen rows of all credentials and owners of the batch
 * @param now  database time
 */
export function openBudgets(seen: BudgetRows, now: Date): Budgets {
  return new BatchBudgets(seen, now)
}

class BatchBudgets implements Budgets {
  readonly #seen: BudgetRows
  readonly #now: Date
  readonly #credentials: Map<string, CredentialBudget>
  readonly #policies: Map<string, PolicyBudget>
  readonly #changedCredentials = new Set<string>()
  readonly #changedPolicies = new Set<string>()
  /** Limits that have refused a call, by credential. */
  readonly #refusing = new Map<string, ExhaustedCredential['limit']>()

  constructor(seen: BudgetRows, now: Date) {
    this.#seen = seen
    this.#now = now
    this.#credentials = rolled(seen.credentials, row => rollCredential(row, now))
    this.#policies = rolled(seen.policies, row => rollPolicy(row, now))
  }

  countRequest(credentialId: string, tokenDigest: Buffer): Rate {
    const pair = this.#pairOf(credentialId)
    assertUsable(pair, tokenDigest, this.#now)
    const { credential } = pair
    const { rpm } = credential
    const decision = admitAtRate(rpm, credential.rateWindow, this.#now)
    if (!decision.isAdmitted) {
      throw new GatewayError('RATE_LIMITED', { limit: 'rpm', rpm }, { retryAfterSeconds: decision.seconds })
    }
    this.#credentials.set(credentialId, { ...credential, rateWindow: decision.window })
    this.#changedCredentials.add(credentialId)
    return { rpm, remaining: decision.remaining, seconds: decision.seconds }
  }

  requireUsable(credentialId: string, tokenDigest: Buffer): void {
    assertUsable(this.#pairOf(credentialId), tokenDigest, this.#now)
  }

  requireAllowed(credentialId: string, names: readonly string[]): void {
    if (mayCall(this.#pairOf(credentialId).credential, names)) return
    throw new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: names[0] })
  }

  draw(credentialId: string, hold: Usdc): Date {
    const before = this.#pairOf(credentialId)
    const drawnAt = drawTime(before, this.#now)
    const pair = {
      credential: rollCredential(before.credential, drawnAt),
      policy: rollPolicy(before.policy, drawnAt),
    }
    const outcome = drawCall(pair, hold)
    if ('limit' in outcome) {
      const { limit } = outcome
      if (limit === 'credential_calls' || limit === 'credential_credit')
        this.#refusing.set(credentialId, limit)
      throw budgetExhausted(limit, {
        ...outcome,
        required: hold,
        maxCalls: limit === 'credential_calls' ? pair.credential.maxCalls : null,
      })
    }
    this.#keep(outcome)
    return drawnAt
  }

  undraw(credentialId: string, draw: { hold: Usdc; drawnAt: Date }): void {
    this.#keep(settleCall(this.#pairOf(credentialId), { ...draw, charge: ZERO, keepsCall: false }))
  }

  settle(credentialId: string, draw: { hold: Usdc; charge: Usdc; drawnAt: Date; keepsCall: boolean }): void {
    this.#keep(settleCall(this.#pairOf(credentialId), draw))
  }

  exhausted(): ExhaustedCredential[] {
    const found: ExhaustedCredential[] = []
    for (const id of this.#changedCredentials) {
      const before = this.#seen.credentials.get(id)
      const credential = this.#credentials.get(id)
      if (before === undefined || credential === undefined) continue
      const refused = this.#refusing.get(id)
      const empty = emptyLimit(credential)
      if (
        empty !== null &&
        (refused !== undefined || emptyLimit(rollCredential(before, this.#now)) === null)
      ) {
        found.push({ credential, limit: empty, isEmpty: true })
      } else if (empty === null && refused !== undefined) {
        found.push({ credential, limit: refused, isEmpty: false })
      }
    }
    return found
  }

  changes(): BudgetRows {
    return {
      credentials: pick(this.#credentials, this.#changedCredentials),
      policies: pick(this.#policies, this.#changedPolicies),
    }
  }

  #pairOf(credentialId: string): BudgetPair {
    const credential = this.#credentials.get(credentialId)
    const policy = credential === undefined ? undefined : this.#policies.get(credential.owner)
    if (credential === undefined || policy === undefined) throw new GatewayError('CREDENTIAL_INVALID')
    return { credential, policy }
  }

  #keep({ credential, policy }: BudgetPair): void {
    this.#credentials.set(credential.id, credential)
    this.#policies.set(policy.owner, policy)
    this.#changedCredentials.add(credential.id)
    this.#changedPolicies.add(policy.owner)
  }
}

function rolled<Row>(rows: ReadonlyMap<string, Row>, roll: (row: Row) => Row): Map<string, Row> {
  const now = new Map<string, Row>()
  for (const [key, row] of rows) now.set(key, roll(row))
  return now
}

/**
 * Returns the error for a call that a budget does not cover. Its `detail` names the limit, its size, what is left, what
 * the call needs, and when the limit resets.
 */
export function budgetExhausted(
  limit: string,
  amounts: {
    remaining: Usdc
    required: Usdc
    cap?: bigint | null
    resetsAt?: Date | null
    maxCalls?: bigint | null
  },
): GatewayError {
  const { remaining, required, cap = null, resetsAt = null, maxCalls = null } = amounts
  return new GatewayError('BUDGET_EXHAUSTED', {
    limit,
    remainingUsdc: formatUsdc(remaining),
    requiredUsdc: formatUsdc(required),
    ...(cap !== null && { limitUsdc: formatUsdc(usdc(cap)) }),
    ...(maxCalls !== null && { maxCalls: Number(maxCalls) }),
    ...(resetsAt !== null && { resetsAt: resetsAt.toISOString() }),
  })
}

/**
 * Returns the time of a draw: now, or the start of the latest interval it counts in if the clock was set back. Both
 * rows are rolled to it, so a draw and its end count in the same intervals.
 */
function drawTime({ credential, policy }: BudgetPair, now: Date): Date {
  let latest = now
  for (const start of [credential.intervalStart, policy.dayStart, policy.monthStart]) {
    if (start.getTime() > latest.getTime()) latest = start
  }
  return latest
}

function assertUsable({ credential, policy }: BudgetPair, tokenDigest: Buffer, now: Date): void {
  if (credential.status === 'deleted' || !isOpenedBy(credential, tokenDigest, now)) {
    throw new GatewayError('CREDENTIAL_INVALID')
  }
  const isExpired = credential.expiresAt !== null && credential.expiresAt.getTime() <= now.getTime()
  if (credential.status === 'revoked' || isExpired) throw new GatewayError('CREDENTIAL_INACTIVE')
  if (policy.isSuspended) throw new GatewayError('WALLET_SUSPENDED')
}

function pick<Row>(rows: ReadonlyMap<string, Row>, keys: ReadonlySet<string>): Map<string, Row> {
  const picked = new Map<string, Row>()
  for (const key of keys) {
    const row = rows.get(key)
    if (row !== undefined) picked.set(key, row)
  }
  return picked
}
