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

export type { CredentialBudget, PolicyBudget } from './budget-rules.ts'

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
  const credentials = new Map<string, CredentialBudget>(
    [...seen.credentials].map(([id, row]) => [id, rollCredential(row, now)]),
  )
  const policies = new Map<string, PolicyBudget>(
    [...seen.policies].map(([owner, row]) => [owner, rollPolicy(row, now)]),
  )
  const changed = { credentials: new Set<string>(), policies: new Set<string>() }
  const refusing = new Map<string, ExhaustedCredential['limit']>()

  const pairOf = (credentialId: string): BudgetPair => {
    const credential = credentials.get(credentialId)
    const policy = credential === undefined ? undefined : policies.get(credential.owner)
    if (credential === undefined || policy === undefined) throw new GatewayError('CREDENTIAL_INVALID')
    return { credential, policy }
  }
  const keep = ({ credential, policy }: BudgetPair): void => {
    credentials.set(credential.id, credential)
    policies.set(policy.owner, policy)
    changed.credentials.add(credential.id)
    changed.policies.add(policy.owner)
  }

  return {
    countRequest(credentialId, tokenDigest) {
      const pair = pairOf(credentialId)
      assertUsable(pair, tokenDigest, now)
      const { credential } = pair
      const { rpm } = credential
      const decision = admitAtRate(rpm, credential.rateWindow, now)
      if (!decision.isAdmitted) {
        throw new GatewayError('RATE_LIMITED', { limit: 'rpm', rpm }, { retryAfterSeconds: decision.seconds })
      }
      credentials.set(credentialId, { ...credential, rateWindow: decision.window })
      changed.credentials.add(credentialId)
      return { rpm, remaining: decision.remaining, seconds: decision.seconds }
    },
    requireUsable(credentialId, tokenDigest) {
      assertUsable(pairOf(credentialId), tokenDigest, now)
    },
    requireAllowed(credentialId, names) {
      if (mayCall(pairOf(credentialId).credential, names)) return
      throw new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: names[0] })
    },
    draw(credentialId, hold) {
      const before = pairOf(credentialId)
      const drawnAt = drawTime(before, now)
      const pair = {
        credential: rollCredential(before.credential, drawnAt),
        policy: rollPolicy(before.policy, drawnAt),
      }
      const outcome = drawCall(pair, hold)
      if ('limit' in outcome) {
        const { limit } = outcome
        if (limit === 'credential_calls' || limit === 'credential_credit') refusing.set(credentialId, limit)
        throw budgetExhausted(limit, {
          ...outcome,
          required: hold,
          maxCalls: limit === 'credential_calls' ? pair.credential.maxCalls : null,
        })
      }
      keep(outcome)
      return drawnAt
    },
    undraw(credentialId, draw) {
      keep(settleCall(pairOf(credentialId), { ...draw, charge: ZERO, keepsCall: false }))
    },
    settle(credentialId, draw) {
      keep(settleCall(pairOf(credentialId), draw))
    },
    exhausted() {
      const found: ExhaustedCredential[] = []
      for (const id of changed.credentials) {
        const [before, credential, refused] = [
          seen.credentials.get(id),
          credentials.get(id),
          refusing.get(id),
        ]
        if (before === undefined || credential === undefined) continue
        const empty = emptyLimit(credential)
        if (empty !== null && (refused !== undefined || emptyLimit(rollCredential(before, now)) === null)) {
          found.push({ credential, limit: empty, isEmpty: true })
        } else if (empty === null && refused !== undefined) {
          found.push({ credential, limit: refused, isEmpty: false })
        }
      }
      return found
    },
    changes: () => ({
      credentials: pick(credentials, changed.credentials),
      policies: pick(policies, changed.policies),
    }),
  }
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
  const starts = [credential.intervalStart, policy.dayStart, policy.monthStart]
  return new Date(Math.max(now.getTime(), ...starts.map(start => start.getTime())))
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
