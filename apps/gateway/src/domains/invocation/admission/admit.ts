import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type Budgets, budgetExhausted, type Rate } from '../../credentials/draw-budgets.ts'
import type { Books } from '../../ledger/lock-books.ts'
import type { InvocationStatus, Quote } from '../rules.ts'

/** A call that asks to be admitted. */
export type HoldRequest = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  /** SHA-256 of the token that it came with. */
  readonly tokenDigest: Buffer
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  /** What the call would cost; or why it may not be made, to be told once rate and key have had their turn. */
  readonly quote: Quote | GatewayError
  /**
   * The service that the quote was made on, be it good or bad; null when there was none. `names`: its id, and those under
   * which a credential may be allowed to call it.
   */
  readonly service: {
    readonly id: string
    readonly version: bigint
    readonly names: readonly string[]
  } | null
  /** What the rate said when this request was counted, before it had to be quoted anew; null at first. */
  readonly counted: Rate | null
}

/** An invocation that an idempotency key is known for. */
export type KnownInvocation = {
  readonly id: string
  readonly requestHash: Buffer
  readonly status: InvocationStatus
  readonly drawnAt: Date
  /** Micro-USDC. */
  readonly hold: Usdc
}

/** What became of a request. `rate` is null when the rate itself refused, or was counted by a lost COMMIT. */
export type Admission =
  | { readonly kind: 'held'; readonly rate: Rate | null; readonly drawnAt: Date; readonly isNew: boolean }
  | { readonly kind: 'known'; readonly rate: Rate; readonly invocation: KnownInvocation }
  | { readonly kind: 'requote'; readonly rate: Rate }
  | { readonly kind: 'refused'; readonly rate: Rate | null; readonly error: GatewayError }

/** The state that requests are decided on. */
export type World = {
  readonly budgets: Budgets
  readonly books: Books
  /** By {@link keyOf}; requests admitted here are added, so that twins in one batch see each other. */
  readonly known: Pick<Map<string, KnownInvocation>, 'get' | 'set'>
  /** Whether a service is still at the version that it was quoted at, and may be called. */
  readonly isCurrent: (service: { readonly id: string; readonly version: bigint }) => boolean
}

/** Identity of an idempotency key: it is scoped to its credential. */
export const keyOf = (request: { credentialId: string; idempotencyKey: string }): string =>
  `${request.credentialId} ${request.idempotencyKey}`

/**
 * Decides requests in the order of their arrival, each on what those before it left: rate, then known key, then
 * the allow-list and the quote, then calls, credit, policy and balance together or nothing. A refused large request
 * takes nothing, so it never starves a small one behind it. Touches no database; the caller writes what was decided.
 */
export function admit(world: World, requests: readonly HoldRequest[]): Admission[] {
  return requests.map(request => admitOne(world, request))
}

function admitOne(world: World, request: HoldRequest): Admission {
  const before = world.known.get(keyOf(request))
  // Our own hold, found again after a lost COMMIT: it was counted then, and once is enough.
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
  // A refusal that was read from an old version is as wrong as a price that was.
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
