import { type Usdc, ZERO } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import { type Budgets, lockBudgets } from '../credentials/draw-budgets.ts'
import { type Books, lockBooks, type Movement } from '../ledger/lock-books.ts'
import { readServiceVersions } from '../services/read-versions.ts'
import { type Admission, admit, type HoldRequest } from './admit.ts'
import { createGroupCommit } from './group-commit.ts'
import { canBecome, type Settlement } from './rules.ts'
import { type CallState, insertHeld, readCallStates, readKnown, writeSettled } from './store.ts'

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
  const group = createGroupCommit<Item, Outcome>({
    lanes: options.lanes,
    run: items =>
      deps.batchDb.transaction(tx => commitBatch(tx, items, { ...options, instanceId: deps.instanceId })),
  })
  return {
    hold: async request => (await group.submit({ hold: request })) as Admission,
    settle: async settlement => (await group.submit({ settle: settlement })) as Settled,
    idle: () => group.idle(),
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
    lockBooks(tx, [...holds.flatMap(holdMovement), ...settlements.map(endMovement)]),
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
  const ended = settlements.filter((_, index) => {
    const outcome = settled[index]
    return outcome?.kind === 'settled' && outcome.isNew
  })

  const writes = [budgets.write(), books.write()]
  if (held.length > 0) writes.push(insertHeld(tx, held, options.instanceId))
  if (ended.length > 0) writes.push(writeSettled(tx, ended))
  // Not awaited: they travel with the COMMIT, and the transaction itself reports the statement that fails.
  Promise.all(writes).catch(() => undefined)

  const nextAdmission = admissions.values()
  const nextSettled = settled.values()
  return items.map(item => ('hold' in item ? nextAdmission : nextSettled).next().value as Outcome)
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
  if (state === null || !canBecome(state.status, settlement.status)) return { kind: 'lost', state }

  const { credentialId, hold, charge, drawnAt } = settlement
  budgets.settle(credentialId, { hold, charge, drawnAt, keepsCall: settlement.status === 'SUCCEEDED' })
  if (!books.post(endMovement(settlement)))
    throw new Error(`The hold of ${settlement.invocationId} is not covered.`)
  states.set(settlement.invocationId, { status: settlement.status, errorCode: settlement.errorCode })
  return { kind: 'settled', isNew: true }
}

function holdMovement({ quote, owner, invocationId }: HoldRequest): Movement[] {
  if (quote instanceof Error) return []
  return [{ kind: 'hold', wallet: owner, amount: quote.hold, reference: invocationId }]
}

function endMovement(settlement: Settlement): Movement {
  const { owner, provider, hold, charge, fee, invocationId: reference, status } = settlement
  if (status !== 'SUCCEEDED') return { kind: 'release', wallet: owner, amount: hold, reference }
  return { kind: 'capture', consumer: owner, provider, hold, charge, fee: fee ?? ZERO, reference }
}
