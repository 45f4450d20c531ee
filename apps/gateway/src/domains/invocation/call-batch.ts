import type { Usdc } from '@farebox/money'
import type { Tx } from '../../ports.ts'
import type { WritePart } from '../../write-part.ts'
import { assumeBudgets, lockBudgets } from '../credentials/draw-budgets.ts'
import { accountsOf, assumeBooks, lockBooks, type Movement } from '../ledger/lock-books.ts'
import { readServiceVersions, versionChecks } from '../services/read-versions.ts'
import type { World as AdmissionWorld, HoldRequest } from './admit.ts'
import type { Need, Remembered } from './call-memory.ts'
import type { Settlement } from './rules.ts'
import { type CallState, readCallStates, readKnown } from './store.ts'

/** A step of a call that touches money. */
export type Item = { readonly hold: HoldRequest } | { readonly settle: Settlement }

/** About how much of an item is written, in bytes: its answer and the events of its stream. */
export function bytesOf(item: Item): number {
  if ('hold' in item) return 0
  const { settle } = item
  const text = settle.status === 'PROCESSING' ? (settle.pendingResult ?? '') : settle.answer.body
  return text.length + (settle.recording?.events.length ?? 0)
}

/** How far our idea of the database's time may be off, in ms. */
const DRIFT_MS = 200

/** The items of a batch, and the rows that they need. */
export type Batch = Need & {
  readonly items: readonly Item[]
  readonly holds: readonly HoldRequest[]
  readonly settlements: readonly Settlement[]
  readonly movements: readonly Movement[]
  /** The version that each service was quoted at. */
  readonly versions: ReadonlyMap<string, bigint>
  /** False when its calls contradict each other: then no memory can be right for all of them. */
  readonly isAssumable: boolean
}

/** Reads what a batch is about. */
export function batchOf(items: readonly Item[]): Batch {
  const holds = items.flatMap(item => ('hold' in item ? [item.hold] : []))
  const settlements = items.flatMap(item => ('settle' in item ? [item.settle] : []))
  const movements = [...holds.flatMap(holdMovement), ...settlements.flatMap(endMovements)]
  const services = holds.flatMap(({ service }) => (service === null ? [] : [service]))
  const versions = new Map(services.map(({ id, version }) => [id, version]))
  return {
    ...{ items, holds, settlements, movements, versions },
    credentialIds: new Set([...holds, ...settlements].map(({ credentialId }) => credentialId)),
    owners: new Set([...holds, ...settlements].map(({ owner }) => owner)),
    accounts: accountsOf(movements),
    isAssumable: services.every(({ id, version }) => versions.get(id) === version),
  }
}

/** Everything that a batch is decided on: locked and read, or taken for granted and checked by what is written. */
export type World = AdmissionWorld & {
  readonly states: Map<string, CallState>
  /** Checks of what is assumed beside the rows that are written. */
  readonly assumptions: readonly WritePart[]
}

/**
 * Locks and reads everything: one round trip.
 *
 * @param monthlyDefault spending cap of owners who have set none, in micro-USDC
 */
export async function readWorld(tx: Tx, batch: Batch, monthlyDefault: Usdc): Promise<World> {
  const { holds, settlements, movements } = batch
  const [budgets, books, known, states, versions] = await Promise.all([
    lockBudgets(tx, { credentials: [...holds, ...settlements], monthlyDefault }),
    lockBooks(tx, movements),
    readKnown(tx, holds),
    readCallStates(
      tx,
      settlements.map(settlement => settlement.invocationId),
    ),
    readServiceVersions(tx, [...batch.versions.keys()]),
  ])
  return { budgets, books, known, states, versions, assumptions: [] }
}

/**
 * Takes for granted that everything is as it is remembered, that keys are new, calls open, and services as they were
 * quoted. Nothing is read: the writes check it all, under the locks that they take.
 */
export function assumeWorld(batch: Batch, remembered: Remembered): World {
  const { settlements, versions } = batch
  const { now, server } = remembered
  const states = settlements.map(({ invocationId, from }) => {
    return [invocationId, { status: from, errorCode: null }] as const
  })
  return {
    budgets: assumeBudgets({ remembered: remembered.budgets, now, driftMs: DRIFT_MS, server }),
    books: assumeBooks(remembered.books),
    ...{ known: new Map(), states: new Map(states), versions },
    assumptions: versionChecks(versions),
  }
}

function holdMovement({ quote, owner, invocationId }: HoldRequest): Movement[] {
  if (quote instanceof Error) return []
  const { hold: amount, provider } = quote
  return [{ kind: 'hold', wallet: owner, provider, amount, reference: invocationId }]
}

/** What the end of a call does to the books: nothing, as long as it waits for its usage. */
export function endMovements(settlement: Settlement): Movement[] {
  const { owner, provider, hold, charge, fee, invocationId: reference, status } = settlement
  if (status === 'PROCESSING') return []
  if (status !== 'SUCCEEDED') return [{ kind: 'release', wallet: owner, amount: hold, reference }]
  return [{ kind: 'capture', consumer: owner, provider, hold, charge, fee, reference }]
}
