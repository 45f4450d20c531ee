import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Tx } from '../../ports.ts'
import { admitAtRate, type RateDecision } from '../../rate-window.ts'
import type { WritePart } from '../../write-part.ts'
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
import { type BudgetRows, budgetWrites, lockBudgetRows, type Versioned } from './budget-store.ts'

/** What a request per minute limit says about one request. */
export type Rate = Pick<RateDecision, 'remaining' | 'seconds'> & { readonly rpm: number }

/** The budgets of one transaction, locked: decide with the first four, then write {@link Budgets.writes} once. */
export type Budgets = {
  /** Database time, read after the locks were had. */
  readonly now: Date
  /** The server process that the rows were read from: another one may be at another point of history. */
  readonly server: string
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
  /** What is to be written; nothing when nothing has changed. */
  writes(): WritePart[]
  /** Whether every row is written: only then does a transaction that assumed them check them all. */
  isAllWritten(): boolean
  /**
   * The rows as they are once the transaction is committed.
   *
   * @param version of what the transaction writes
   */
  remember(version: string): RememberedBudgets
}

/** A credential with nothing left of a limit (`isEmpty`), or with less than a call needed that it refused. */
export type ExhaustedCredential = {
  readonly limit: 'credential_calls' | 'credential_credit'
  readonly isEmpty: boolean
  readonly credential: CredentialBudget
}

/** Rows of budgets as they were when they were last seen, by id and owner, each with its version. */
export type RememberedBudgets = {
  readonly credentials: ReadonlyMap<string, Versioned<CredentialBudget>>
  readonly policies: ReadonlyMap<string, Versioned<PolicyBudget>>
}

/**
 * Locks credentials and the policies of their owners (credentials first, each in the order of their ids) and
 * reads them as of now. Holding a credential's lock also means that none of its invocations changes meanwhile:
 * every change of an invocation is made under it.
 *
 * @param input.credentials    pairs of credential id and owner; repetitions are welcome
 * @param input.monthlyDefault monthly cap of owners who have set none, in micro-USDC
 */
export async function lockBudgets(
  tx: Tx,
  input: { credentials: Iterable<{ credentialId: string; owner: string }>; monthlyDefault: Usdc },
): Promise<Budgets> {
  const owners = new Map<string, string>()
  for (const { credentialId, owner } of input.credentials) owners.set(credentialId, owner)
  const rows = await lockBudgetRows(tx, {
    credentialIds: [...owners.keys()],
    owners: [...new Set(owners.values())],
  })
  const { now, server } = rows
  return budgetsOver({ seen: readRows(rows, input.monthlyDefault), now, server, assumed: null })
}

/**
 * Budgets that are taken for granted as they are remembered, without a lock: the writes check that they are, and lock
 * them; see {@link Budgets.isAllWritten}.
 *
 * @param input.now     time of the database, as far as is known
 * @param input.driftMs how far it may be off
 * @param input.server  the server process that the rows were read from
 */
export function assumeBudgets(input: {
  remembered: RememberedBudgets
  now: Date
  driftMs: number
  server: string
}): Budgets {
  const { remembered: seen, now, driftMs, server } = input
  return budgetsOver({ seen, now, server, assumed: { now, driftMs, server } })
}

function readRows({ credentials, policies }: BudgetRows, monthlyDefault: Usdc): RememberedBudgets {
  return {
    credentials: new Map(credentials.map(row => [row.id, row])),
    policies: new Map(
      policies.map(({ allowUnlimited, ...row }) => {
        const monthlyLimit = allowUnlimited ? null : (row.monthlyLimit ?? monthlyDefault)
        return [row.owner, { ...row, monthlyLimit }]
      }),
    ),
  }
}

function budgetsOver(from: {
  seen: RememberedBudgets
  now: Date
  server: string
  assumed: { now: Date; driftMs: number; server: string } | null
}): Budgets {
  const { seen, now, server } = from
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
    now,
    server,
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
      const pair = pairOf(credentialId)
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
      const { credential, policy } = outcome
      const starts = [credential.intervalStart, policy.dayStart, policy.monthStart]
      return new Date(Math.max(now.getTime(), ...starts.map(start => start.getTime())))
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
    writes() {
      if (changed.credentials.size + changed.policies.size === 0) return []
      const rows = {
        credentials: pick(credentials, changed.credentials, seen.credentials),
        policies: pick(policies, changed.policies, seen.policies),
      }
      return [budgetWrites(rows, from.assumed)]
    },
    isAllWritten: () =>
      changed.credentials.size === seen.credentials.size && changed.policies.size === seen.policies.size,
    remember: version => ({
      credentials: versioned(credentials, { changed: changed.credentials, version, seen: seen.credentials }),
      policies: versioned(policies, { changed: changed.policies, version, seen: seen.policies }),
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

function assertUsable({ credential, policy }: BudgetPair, tokenDigest: Buffer, now: Date): void {
  if (credential.status === 'deleted' || !isOpenedBy(credential, tokenDigest, now)) {
    throw new GatewayError('CREDENTIAL_INVALID')
  }
  const isExpired = credential.expiresAt !== null && credential.expiresAt.getTime() <= now.getTime()
  if (credential.status === 'revoked' || isExpired) throw new GatewayError('CREDENTIAL_INACTIVE')
  if (policy.isSuspended) throw new GatewayError('WALLET_SUSPENDED')
}

/** Changed rows, each with the version that it has so far. */
function pick<Row>(
  rows: ReadonlyMap<string, Row>,
  changed: ReadonlySet<string>,
  seen: ReadonlyMap<string, { readonly version: string }>,
): Versioned<Row>[] {
  return [...changed].flatMap(key => {
    const [row, before] = [rows.get(key), seen.get(key)]
    return row === undefined || before === undefined ? [] : [{ ...row, version: before.version }]
  })
}

/** All rows, each with the version that it has once the transaction is committed. */
function versioned<Row>(
  rows: ReadonlyMap<string, Row>,
  of: {
    changed: ReadonlySet<string>
    version: string
    seen: ReadonlyMap<string, { readonly version: string }>
  },
): Map<string, Versioned<Row>> {
  return new Map(
    [...rows].map(([key, row]) => {
      const version = of.changed.has(key) ? of.version : (of.seen.get(key)?.version ?? of.version)
      return [key, { ...row, version }]
    }),
  )
}
