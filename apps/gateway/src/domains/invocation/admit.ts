import { formatUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Budgets, Rate } from '../credentials/draw-budgets.ts'
import type { Books } from '../ledger/lock-books.ts'
import type { InvocationStatus, Quote } from './rules.ts'

/** A call that asks to be admitted. */
export type HoldRequest = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  /** What the call would cost; or why it may not be made, to be told once rate and key have had their turn. */
  readonly quote: Quote | GatewayError
}

/** An invocation that an idempotency key is known for. */
export type KnownInvocation = {
  readonly id: string
  readonly requestHash: Buffer
  readonly status: InvocationStatus
  readonly drawnAt: Date
}

/** What became of a request. `rate` is null only when the rate itself refused. */
export type Admission =
  | { readonly kind: 'held'; readonly rate: Rate; readonly drawnAt: Date; readonly isNew: boolean }
  | { readonly kind: 'known'; readonly rate: Rate; readonly invocation: KnownInvocation }
  | { readonly kind: 'requote'; readonly rate: Rate }
  | { readonly kind: 'refused'; readonly rate: Rate | null; readonly error: GatewayError }

/** The locked world that requests are decided against. */
export type World = {
  readonly budgets: Budgets
  readonly books: Books
  /** By {@link keyOf}; requests admitted here are added, so that twins in one batch see each other. */
  readonly known: Map<string, KnownInvocation>
  /** Versions of the services that may be called now; a service that may not is absent. */
  readonly versions: ReadonlyMap<string, bigint>
}

/** Identity of an idempotency key: it is scoped to its credential. */
export const keyOf = (request: { credentialId: string; idempotencyKey: string }): string =>
  `${request.credentialId} ${request.idempotencyKey}`

/**
 * Decides requests in the order of their arrival, each on what those before it left: rate, then known key, then
 * the quote, then calls, credit, policy and balance together or nothing. A refused large request takes nothing,
 * so it never starves a small one behind it. Touches no database; the caller writes what was decided.
 */
export function admit(world: World, requests: readonly HoldRequest[]): Admission[] {
  return requests.map(request => admitOne(world, request))
}

function admitOne(world: World, request: HoldRequest): Admission {
  let rate: Rate | null = null
  try {
    rate = world.budgets.countRequest(request.credentialId)
    return decide(world, request, rate)
  } catch (error) {
    if (error instanceof GatewayError) return { kind: 'refused', rate, error }
    throw error
  }
}

function decide(world: World, request: HoldRequest, rate: Rate): Admission {
  const { budgets, books, known, versions } = world
  const { credentialId, invocationId, owner, quote } = request

  const before = known.get(keyOf(request))
  if (before !== undefined) {
    // Our own hold, found again after a lost COMMIT.
    if (before.id === invocationId) return { kind: 'held', rate, drawnAt: before.drawnAt, isNew: false }
    if (!before.requestHash.equals(request.requestHash)) throw new GatewayError('IDEMPOTENCY_CONFLICT')
    return { kind: 'known', rate, invocation: before }
  }
  if (quote instanceof GatewayError) throw quote
  if (versions.get(quote.serviceId) !== quote.serviceVersion) return { kind: 'requote', rate }

  const { hold } = quote
  const drawnAt = budgets.draw(credentialId, hold)
  if (!books.post({ kind: 'hold', wallet: owner, amount: hold, reference: invocationId })) {
    budgets.undraw(credentialId, { hold, drawnAt })
    const remainingUsdc = formatUsdc(books.available(owner))
    throw new GatewayError('BUDGET_EXHAUSTED', { limit: 'owner_balance', remainingUsdc })
  }
  known.set(keyOf(request), {
    id: invocationId,
    requestHash: request.requestHash,
    status: 'PENDING',
    drawnAt,
  })
  return { kind: 'held', rate, drawnAt, isNew: true }
}
