import type { Usdc } from '@farebox/money'
import type { Rate } from '../../credentials/draw-budgets.ts'
import { type AccountState, consumerOf } from '../../ledger/lock-books.ts'
import type { Announcement } from '../../webhooks/announce.ts'
import type { AwaitedCall, Effects, EndedCall, HeldCall } from '../log/ledger-events.ts'
import { announcementsOf } from '../records/announcement-rules.ts'
import { canBecome, type Settlement } from '../rules.ts'
import { type Admission, admit } from './admit.ts'
import { type Batch, type CallState, endMovements, type World } from './call-batch.ts'

/** Outcome of a settlement. `state` is null if the call had already ended. */
export type Settled =
  | { readonly kind: 'settled'; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly state: CallState | null }

/** The outcome of an item. */
export type Outcome = Admission | Settled | Counted

/** Outcome of a request that only counts against the rate limit. */
export type Counted = { readonly kind: 'counted' } & ({ readonly rate: Rate } | { readonly error: unknown })

/** Decision on a batch. It takes effect when it is appended. */
export type Decision = {
  /** In the order of the items. */
  readonly outcomes: readonly Outcome[]
  readonly effects: Effects
  /** Announcements to queue in the same transaction. */
  readonly news: readonly Announcement[]
}

/**
 * Decides a batch. Settlements come first because they only release money.
 *
 * @param input.isNews returns true if an announcement was not sent recently
 */
export function decideBatch(input: {
  batch: Batch
  world: World
  isNews: (announcement: Announcement) => boolean
}): Decision {
  const { batch, world } = input
  const { budgets, books } = world
  const promotions = new Map<string, Usdc>()
  const settled = batch.settlements.map(settlement => decideSettlement(world, settlement, promotions))
  const counted = batch.requests.map((request): Counted => {
    try {
      return { kind: 'counted', rate: budgets.countRequest(request.credentialId, request.tokenDigest) }
    } catch (error) {
      return { kind: 'counted', error }
    }
  })
  const admissions = admit(world, batch.holds)

  const held = batch.holds.flatMap((request, index): HeldCall[] => {
    const admission = admissions[index]
    const { quote } = request
    if (admission?.kind !== 'held' || !admission.isNew || quote instanceof Error) return []
    return [{ ...request, quote, drawnAt: admission.drawnAt }]
  })
  const changed = batch.settlements.filter((_, index) => {
    const outcome = settled[index]
    return outcome?.kind === 'settled' && outcome.isNew
  })
  const exhausted = budgets.exhausted()
  const [nextAdmission, nextSettled, nextCounted] = [admissions.values(), settled.values(), counted.values()]
  const nextOf = (item: Batch['items'][number]) =>
    'hold' in item ? nextAdmission : 'settle' in item ? nextSettled : nextCounted
  return {
    outcomes: batch.items.map(item => nextOf(item).next().value as Outcome),
    effects: {
      held,
      awaited: changed.flatMap((call): AwaitedCall[] => (call.status === 'PROCESSING' ? [call] : [])),
      ended: changed.flatMap(call => endedCall(call, world.now, promotions)),
      budgets: budgets.changes(),
      accounts: consumersOf(books.changes().accounts),
    },
    news: announcementsOf({ settlements: changed, exhausted }).filter(input.isNews),
  }
}

/** Earnings of providers and the platform are outside of the partition; the projection adds them. */
function consumersOf(accounts: ReadonlyMap<string, AccountState>): ReadonlyMap<string, AccountState> {
  const consumers = new Map<string, AccountState>()
  for (const [id, state] of accounts) {
    const wallet = consumerOf(id)
    if (wallet !== null) consumers.set(wallet, state)
  }
  return consumers
}

function endedCall(call: Settlement, now: Date, promotions: ReadonlyMap<string, Usdc>): EndedCall[] {
  if (call.status === 'PROCESSING') return []
  const promotional = promotions.get(call.invocationId)
  if (promotional === undefined) throw new Error(`The end of ${call.invocationId} moved no money.`)
  return [{ ...call, finishedAt: call.finishedAt ?? now, promotional }]
}

/** @param promotions receives the promotional part of the charge, by invocation id */
function decideSettlement(world: World, settlement: Settlement, promotions: Map<string, Usdc>): Settled {
  const { budgets, books, states } = world
  const state = states.get(settlement.invocationId) ?? null
  // An earlier append succeeded but its answer was lost.
  const wasOurs = state?.status === settlement.status && state.errorCode === settlement.errorCode
  if (wasOurs) return { kind: 'settled', isNew: false }
  if (state?.status !== settlement.from || !canBecome(state.status, settlement.status)) {
    return { kind: 'lost', state }
  }
  // A call with pending usage keeps its hold and its use of the budgets.
  for (const movement of endMovements(settlement)) {
    const { credentialId, hold, charge, drawnAt } = settlement
    budgets.settle(credentialId, { hold, charge, drawnAt, keepsCall: settlement.status === 'SUCCEEDED' })
    promotions.set(settlement.invocationId, books.promotionalOf(movement))
    if (!books.post(movement)) throw new Error(`The hold of ${settlement.invocationId} is not covered.`)
  }
  states.set(settlement.invocationId, { status: settlement.status, errorCode: settlement.errorCode })
  return { kind: 'settled', isNew: true }
}
