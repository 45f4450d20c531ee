import type { Usdc } from '@farebox/money'
import type { WritePart } from '../../write-part.ts'
import type { RememberedBudgets } from '../credentials/draw-budgets.ts'
import type { RememberedBooks } from '../ledger/lock-books.ts'
import type { Announcement } from '../webhooks/announce.ts'
import { type Admission, admit } from './admit.ts'
import { announcementsOf } from './announcement-rules.ts'
import { freeAnswerWrites } from './answer-store.ts'
import { type Batch, endMovements, type World } from './call-batch.ts'
import {
  type AwaitedCall,
  awaitedWrites,
  meteredEndWrites,
  meteredHoldWrites,
  recordingWrites,
} from './metered-store.ts'
import { canBecome, type Settlement } from './rules.ts'
import { type CallState, type EndedCall, endWrites, type HeldCall, heldWrites } from './store.ts'

/** Whether a settlement was the one that ended its call. */
export type Settled =
  | { readonly kind: 'settled'; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly state: CallState | null }

/** What became of an item. */
export type Outcome = Admission | Settled

/** What a batch decides. Nothing has happened yet. */
export type Decision = {
  /** In the order of the items. */
  readonly outcomes: readonly Outcome[]
  /** To be written together; nothing when nothing changes. */
  readonly writes: readonly WritePart[]
  /** Whether the writes check every row that was assumed, and every key that was assumed to be new. */
  readonly isChecked: boolean
  /** To be announced with it. */
  readonly news: readonly Announcement[]
  /** What the rows are like once it is committed, by the version of what it writes. */
  seenAt(version: string): { readonly budgets: RememberedBudgets; readonly books: RememberedBooks }
}

/**
 * Decides a batch in memory, settlements first, since they only give room.
 *
 * @param input.feeBps     fee of the platform now, in basis points
 * @param input.lowBalance owners are told when their balance goes below it, in micro-USDC
 * @param input.isNews     whether an announcement has not been made lately
 */
export function decideBatch(input: {
  batch: Batch
  world: World
  instanceId: string
  feeBps: number
  lowBalance: Usdc
  isNews: (announcement: Announcement) => boolean
}): Decision {
  const { batch, world, instanceId, feeBps, lowBalance: threshold } = input
  const { budgets, books } = world
  const promotions = new Map<string, Usdc>()
  const settled = batch.settlements.map(settlement => decideSettlement(world, settlement, promotions))
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
  const [exhausted, fallen] = [budgets.exhausted(), books.fallenBelow(threshold)]
  const nextAdmission = admissions.values()
  const nextSettled = settled.values()
  return {
    outcomes: batch.items.map(item => ('hold' in item ? nextAdmission : nextSettled).next().value as Outcome),
    writes: [
      ...world.assumptions,
      ...budgets.writes(),
      ...books.writes(),
      ...(held.length === 0 ? [] : [heldWrites(held, instanceId), ...meteredHoldWrites(held, feeBps)]),
      ...changeWrites(changed, promotions),
    ],
    isChecked: budgets.isAllWritten() && books.isAllWritten() && !admissions.some(isAfterItsKey),
    news: announcementsOf({ settlements: changed, exhausted, fallen, threshold }).filter(input.isNews),
    seenAt: version => ({ budgets: budgets.remember(version), books: books.remember(version) }),
  }
}

/**
 * Whether a call was refused for what comes after its key: had the key been known, it would have had its answer. What is
 * refused writes no key, so nothing would check that it was new.
 */
const isAfterItsKey = (admission: Admission): boolean =>
  admission.kind === 'refused' && admission.rate !== null

/** @param promotions what of the charges is promotional, by invocation */
function changeWrites(changed: readonly Settlement[], promotions: ReadonlyMap<string, Usdc>): WritePart[] {
  if (changed.length === 0) return []
  const ended = changed.flatMap((call): EndedCall[] => (call.status === 'PROCESSING' ? [] : [call]))
  const awaited = changed.flatMap((call): AwaitedCall[] => (call.status === 'PROCESSING' ? [call] : []))
  return [
    ...recordingWrites(changed),
    ...(ended.length === 0
      ? []
      : [endWrites(ended, promotions), ...freeAnswerWrites(ended), ...meteredEndWrites(ended)]),
    ...awaitedWrites(awaited),
  ]
}

/** @param promotions is told what of the charge is promotional */
function decideSettlement(
  world: Pick<World, 'budgets' | 'books' | 'states'>,
  settlement: Settlement,
  promotions: Map<string, Usdc>,
): Settled {
  const { budgets, books, states } = world
  const state = states.get(settlement.invocationId) ?? null
  // Done already: the COMMIT before went through although its answer was lost.
  const wasOurs = state?.status === settlement.status && state.errorCode === settlement.errorCode
  if (wasOurs) return { kind: 'settled', isNew: false }
  if (state?.status !== settlement.from || !canBecome(state.status, settlement.status)) {
    return { kind: 'lost', state }
  }
  // A call that waits for its usage keeps its hold, and its draw on the budgets.
  for (const movement of endMovements(settlement)) {
    const { credentialId, hold, charge, drawnAt } = settlement
    budgets.settle(credentialId, { hold, charge, drawnAt, keepsCall: settlement.status === 'SUCCEEDED' })
    promotions.set(settlement.invocationId, books.promotionalOf(movement))
    if (!books.post(movement)) throw new Error(`The hold of ${settlement.invocationId} is not covered.`)
  }
  states.set(settlement.invocationId, { status: settlement.status, errorCode: settlement.errorCode })
  return { kind: 'settled', isNew: true }
}
