import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type Budgets, budgetExhausted, type Rate } from '../../credentials/draw-budgets.ts'
import type { Books } from '../../ledger/lock-books.ts'
import type { InvocationStatus, Quote } from '../rules.ts'

/** A call to admit. */
export type HoldRequest = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  /** SHA-256 of its token. */
  readonly tokenDigest: Buffer
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  /** The quote; or why the call is refused, reported only after the checks of rate and key. */
  readonly quote: Quote | GatewayError
  /**
   * Service of the quote, valid or not; null if there is none. `names`: its id, and the names under which a credential
   * may be allowed to call it.
   */
  readonly service: {
    readonly id: string
    readonly version: bigint
    readonly names: readonly string[]
  } | null
  /** Rate at which the request was first counted, if it was quoted again; otherwise null. */
  readonly counted: Rate | null
}

/** An invocation with a known idempotency key. */
export type KnownInvocation = {
  readonly id: string
  readonly requestHash: Buffer
  readonly status: InvocationStatus
  readonly drawnAt: Date
  /** Micro-USDC. */
  readonly hold: Usdc
}

/** Outcome of a request. `rate` is null if the rate limit refused it, or if it was counted by a lost COMMIT. */
export type Admission =
  | { readonly kind: 'held'; readonly rate: Rate | null; readonly drawnAt: Date; readonly isNew: boolean }
  | { readonly kind: 'known'; readonly rate: Rate; readonly invocation: KnownInvocation }
  | { readonly kind: 'requote'; readonly rate: Rate }
  | { readonly kind: 'refused'; readonly rate: Rate | null; readonly error: GatewayError }

/** State for the decision. */
export type World = {
  readonly budgets: Budgets
  readonly books: Books
  /** By {@link keyOf}; requests admitted here are added, so duplicates in one batch are detected. */
  readonly known: Pick<Map<string, KnownInvocation>, 'get' | 'set'>
  /** True if a service still has the quoted version and may be called. */
  readonly isCurrent: (service: { readonly id: string; readonly version: bigint }) => boolean
}

/** Returns the identity of an idempotency key within its credential. */
export const keyOf = (request: { credentialId: string; idempotencyKey: string }): string =>
  `${request.credentialId} ${request.idempotencyKey}`

/**
 * Decides requests in order of arrival, each on the state left by the previous ones: rate, then known key, then
 * allow-list and quote, then calls, credit, policy and balance, all or nothing. A refused large request takes nothing,
 * so it does not starve a smaller one. Without I/O; the caller stores the decisions.
 */
export function admit(world: World, requests: readonly HoldRequest[]): Admission[] {
  return requests.map(request => admitOne(world, request))
}

function admitOne(world: World, request: HoldRequest): Admission {
  const before = world.known.get(keyOf(request))
  // Our own hold, found again after a lost COMMIT: it was already counted.
  if (before?.id === request.invocationId) {
    return { kind: 'held', rate: request.counted, drawnAt: before.drawnAt, isNew: false }
  }
  let rate = request.counted
  try {
    if (rate === null) rate = world.budgets.countRequest(request.credentialId, request.tokenDigest)
    else world.budgets.requireUsable(request.credentialId, request.tokenDigest)
    return decide(world, request, rate)
  } catch (error) {
    if (error instanceof GatewayError) return { kind: 'refused', rate, error }
    throw error
  }
}

function decide(world: World, request: HoldRequest, rate: Rate): Admission {
  const { budgets, books, known } = world
  const { credentialId, invocationId, owner, quote, service } = request

  const before = known.get(keyOf(request))
  if (before !== undefined) {
    if (!before.requestHash.equals(request.requestHash)) throw new GatewayError('IDEMPOTENCY_CONFLICT')
    return { kind: 'known', rate, invocation: before }
  }
  // A refusal based on an outdated version is as wrong as an outdated price.
  if (service !== null && !world.isCurrent(service)) return { kind: 'requote', rate }
  if (service !== null) budgets.requireAllowed(credentialId, service.names)
  if (quote instanceof GatewayError) throw quote

  const { hold, provider } = quote
  const drawnAt = budgets.draw(credentialId, hold)
  if (!books.post({ kind: 'hold', wallet: owner, provider, amount: hold, reference: invocationId })) {
    budgets.undraw(credentialId, { hold, drawnAt })
    throw budgetExhausted('owner_balance', {
      remaining: books.availableFor(owner, provider),
      required: hold,
    })
  }
  known.set(keyOf(request), {
    id: invocationId,
    requestHash: request.requestHash,
    status: 'PENDING',
    drawnAt,
    hold,
  })
  return { kind: 'held', rate, drawnAt, isNew: true }
}
