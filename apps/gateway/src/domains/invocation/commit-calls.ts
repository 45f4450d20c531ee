import type { Usdc } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import { type Budgets, lockBudgets } from '../credentials/draw-budgets.ts'
import { type Books, lockBooks, type Movement } from '../ledger/lock-books.ts'
import { readServiceVersions } from '../services/read-versions.ts'
import { type Admission, admit, type HoldRequest } from './admit.ts'
import { createGroupCommit } from './group-commit.ts'
import {
  type AwaitedCall,
  insertMetered,
  insertRecordings,
  writeAwaited,
  writeMeteredEnds,
} from './metered-store.ts'
import { canBecome, type Settlement } from './rules.ts'
import {
  type CallState,
  type EndedCall,
  type HeldCall,
  insertHeld,
  readCallStates,
  readKnown,
  writeSettled,
} from './store.ts'

/** Whether a settlement was the one that ended its call. */
export type Settled =
  | { readonly kind: 'settled'; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly state: CallState | null }

type Item = { readonly hold: HoldRequest } | { readonly settle: Settlement }
type Outcome = Admission | Settled

/** The two steps of a paid call that touch money. */
export type CallLedger = {
  /** Admits a call and holds its money, or says why not. */
  hold(request: HoldRequest): Promise<Admission>
  /** Ends a call: captures or releases. Exactly one settlement of a call is `settled`, all others have `lost`. */
  settle(settlement: Settlement): Promise<Settled>
  /**
   * Settles in a transaction of its own, in which `before` runs first; when the settlement has `lost`, nothing of
   * that is kept.
   */
  settleAfter(settlement: Settlement, before: (tx: Tx) => Promise<void>): Promise<Settled>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/**
 * Holds and settlements of all calls share one stream of batches: on a hot owner both need the same rows, and two
 * streams would only wait for each other (docs/adr/0002).
 *
 * @param deps.batchDb connections for set-based statements
 * @param options.monthlyDefault spending cap of owners who have set none, in micro-USDC
 */
export function createCallLedger(
  deps: Pick<Deps, 'batchDb' | 'instanceId'>,
  options: { monthlyDefault: Usdc; lanes: number },
): CallLedger {
  const run = (tx: Tx, items: readonly Item[]) =>
    commitBatch(tx, items, { ...options, instanceId: deps.instanceId })
  const group = createGroupCommit<Item, Outcome>({
    lanes: options.lanes,
    run: items => deps.batchDb.transaction(tx => run(tx, items)),
  })
  return {
    hold: async request => (await group.submit({ hold: request })) as Admission,
    settle: async settlement => (await group.submit({ settle: settlement })) as Settled,
    settleAfter: (settlement, before) =>
      deps.batchDb
        .transaction(async tx => {
          await before(tx)
          const [settled] = (await run(tx, [{ settle: settlement }])) as [Settled]
          // This transaction is never tried again: what is settled already was settled by another.
          const isLost = settled.kind === 'lost' || !settled.isNew
          if (isLost) throw new Lost({ kind: 'lost', state: settled.kind === 'lost' ? settled.state : null })
          return settled
        })
        .catch((error: unknown): Settled => {
          if (error instanceof Lost) return error.settled
          throw error
        }),
    idle: () => group.idle(),
  }
}

/** Rolls a transaction back whose settlement came too late. */
class Lost extends Error {
  readonly settled: Settled
  constructor(settled: Settled) {
    super('Another settlement was first.')
    this.settled = settled
  }
}

/**
 * One batch in two round trips: lock and read everything; decide in memory, settlements first, since they only
 * give room; write everything together with the COMMIT.
 */
async function commitBatch(
  tx: Tx,
  items: readonly Item[],
  options: { monthlyDefault: Usdc; instanceId: string },
): Promise<Outcome[]> {
  const holds = items.flatMap(item => ('hold' in item ? [item.hold] : []))
  const settlements = items.flatMap(item => ('settle' in item ? [item.settle] : []))
  const serviceIds = new Set(holds.flatMap(({ service }) => (service === null ? [] : [service.id])))

  const [budgets, books, known, states, versions] = await Promise.all([
    lockBudgets(tx, { credentials: [...holds, ...settlements], monthlyDefault: options.monthlyDefault }),
    lockBooks(tx, [...holds.flatMap(holdMovement), ...settlements.flatMap(endMovements)]),
    readKnown(tx, holds),
    readCallStates(
      tx,
      settlements.map(settlement => settlement.invocationId),
    ),
    readServiceVersions(tx, [...serviceIds]),
  ])

  const settled = settlements.map(settlement => decideSettlement({ budgets, books, states }, settlement))
  const admissions = admit({ budgets, books, known, versions }, holds)

  const held = holds.flatMap((request, index) => {
    const admission = admissions[index]
    const { quote } = request
    if (admission?.kind !== 'held' || !admission.isNew || quote instanceof Error) return []
    return [{ ...request, quote, drawnAt: admission.drawnAt }]
  })
  const changed = settlements.filter((_, index) => {
    const outcome = settled[index]
    return outcome?.kind === 'settled' && outcome.isNew
  })

  const writes = [
    budgets.write(),
    books.write(),
    ...writeHeld(tx, held, options.instanceId),
    ...writeChanged(tx, changed),
  ]
  // Not awaited: they travel with the COMMIT, and the transaction itself reports the statement that fails.
  Promise.all(writes).catch(() => undefined)

  const nextAdmission = admissions.values()
  const nextSettled = settled.values()
  return items.map(item => ('hold' in item ? nextAdmission : nextSettled).next().value as Outcome)
}

function writeHeld(tx: Tx, held: readonly HeldCall[], instanceId: string): Promise<unknown>[] {
  return held.length === 0 ? [] : [insertHeld(tx, held, instanceId), insertMetered(tx, held)]
}

function writeChanged(tx: Tx, changed: readonly Settlement[]): Promise<unknown>[] {
  if (changed.length === 0) return []
  const ended = changed.flatMap((call): EndedCall[] => (call.status === 'PROCESSING' ? [] : [call]))
  const awaited = changed.flatMap((call): AwaitedCall[] => (call.status === 'PROCESSING' ? [call] : []))
  const writes = [insertRecordings(tx, changed)]
  if (ended.length > 0) writes.push(writeSettled(tx, ended), writeMeteredEnds(tx, ended))
  if (awaited.length > 0) writes.push(writeAwaited(tx, awaited))
  return writes
}

function decideSettlement(
  world: { budgets: Budgets; books: Books; states: Map<string, CallState> },
  settlement: Settlement,
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
    if (!books.post(movement)) throw new Error(`The hold of ${settlement.invocationId} is not covered.`)
  }
  states.set(settlement.invocationId, { status: settlement.status, errorCode: settlement.errorCode })
  return { kind: 'settled', isNew: true }
}

function holdMovement({ quote, owner, invocationId }: HoldRequest): Movement[] {
  if (quote instanceof Error) return []
  return [{ kind: 'hold', wallet: owner, amount: quote.hold, reference: invocationId }]
}

function endMovements(settlement: Settlement): Movement[] {
  const { owner, provider, hold, charge, fee, invocationId: reference, status } = settlement
  if (status === 'PROCESSING') return []
  if (status !== 'SUCCEEDED') return [{ kind: 'release', wallet: owner, amount: hold, reference }]
  return [{ kind: 'capture', consumer: owner, provider, hold, charge, fee, reference }]
}
