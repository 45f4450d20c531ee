import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { admitAtRate, type RateDecision } from '../../rate-window.ts'
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

/** What a request per minute limit says about one request. */
export type Rate = Pick<RateDecision, 'remaining' | 'seconds'> & { readonly rpm: number }

/** Credentials by id and spending policies by owner. */
export type BudgetRows = {
  readonly credentials: ReadonlyMap<string, CredentialBudget>
  readonly policies: ReadonlyMap<string, PolicyBudget>
}

/** The budgets of one batch. What is decided changes them in memory only. */
export type Budgets = {
  /**
   * Counts a request against the rate of its credential.
   * @param tokenDigest of the token that the request came with: it may have been rotated away since
   * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED, RATE_LIMITED
   */
  countRequest(credentialId: string, tokenDigest: Buffer): Rate
  /**
   * For a request that has been counted already.
   * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED
   */
  requireUsable(credentialId: string, tokenDigest: Buffer): void
  /**
   * Checks the allow-list of a credential.
   * @param names of the service, its id first, then any that it has or had: a name that an allow-list holds is given to no other
   * @throws GatewayError SERVICE_NOT_ALLOWED
   */
  requireAllowed(credentialId: string, names: readonly string[]): void
  /**
   * Draws a call and its hold on the credential and on the owner's policy, all limits or none.
   * @returns the time of the draw, to be given back to `settle`: never before an interval that it counts in
   * @throws GatewayError BUDGET_EXHAUSTED, see {@link budgetExhausted}
   */
  draw(credentialId: string, hold: Usdc): Date
  /** Takes a draw of this transaction back, as if it had not been. */
  undraw(credentialId: string, draw: { hold: Usdc; drawnAt: Date }): void
  /** Ends a draw; see {@link settleCall}. */
  settle(credentialId: string, draw: { hold: Usdc; charge: Usdc; drawnAt: Date; keepsCall: boolean }): void
  /** Credentials that have come to an end of their calls or credit by what was decided so far, each with a limit. */
  exhausted(): ExhaustedCredential[]
  /** The rows that were changed, as they are after all decisions. */
  changes(): BudgetRows
}

/** A credential with nothing left of a limit (`isEmpty`), or with less than a call needed that it refused. */
export type ExhaustedCredential = {
  readonly limit: 'credential_calls' | 'credential_credit'
  readonly isEmpty: boolean
  readonly credential: CredentialBudget
}

/**
 * Opens budgets to decide on.
 *
 * @param seen rows of every credential and owner that is asked for
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
 * The refusal of a call that a budget does not cover: by `detail.limit`, with what is left of it, what the call needs,
 * how much the limit is and when it is whole again.
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
 * When a draw counts as made: now; or, when the clock was set back, when the latest interval began that it counts in.
 * Both rows are rolled to it, so that a draw counts in the same intervals when it is made and when it ends.
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
