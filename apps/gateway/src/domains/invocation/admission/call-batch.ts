import { type CredentialBudget, openBudgets, type PolicyBudget } from '../../credentials/draw-budgets.ts'
import {
  type AccountState,
  accountsOf,
  consumerAccount,
  EMPTY_ACCOUNT,
  type Movement,
  openBooks,
} from '../../ledger/lock-books.ts'
import type { LedgerMemory, Partition } from '../log/ledger-memory.ts'
import type { InvocationStatus, Settlement } from '../rules.ts'
import type { World as AdmissionWorld, HoldRequest, KnownInvocation } from './admit.ts'

/** The state of an open call. */
export type CallState = { readonly status: InvocationStatus; readonly errorCode: string | null }

/** A request other than a call that counts against the rate limit of its credential. */
export type CountedRequest = Pick<HoldRequest, 'credentialId' | 'owner' | 'tokenDigest'>

/** One item of a batch. */
export type Item =
  | { readonly hold: HoldRequest }
  | { readonly settle: Settlement }
  | { readonly count: CountedRequest }

/** Returns the credential and the owner of an item. */
export function partyOf(item: Item): { readonly credentialId: string; readonly owner: string } {
  return 'hold' in item ? item.hold : 'settle' in item ? item.settle : item.count
}

/** Estimates the bytes that an item writes: its answer and the events of its stream. */
export function bytesOf(item: Item): number {
  if (!('settle' in item)) return 0
  const { settle } = item
  const text = settle.status === 'PROCESSING' ? (settle.pendingResult ?? '') : settle.answer.body
  return text.length + (settle.recording?.events.length ?? 0)
}

/** Items of a batch in one partition, in order. */
export type Part = { readonly partition: Partition; readonly items: readonly Item[] }

/** Splits a batch by the partitions of its items. */
export function partsOf(items: readonly Item[], memory: LedgerMemory): Part[] {
  const parts = Map.groupBy(items, item => memory.partitionOf(partyOf(item).owner))
  return [...parts].map(([partition, own]) => ({ partition, items: own }))
}

/** The items of a part by kind. */
export type Batch = {
  readonly items: readonly Item[]
  readonly holds: readonly HoldRequest[]
  readonly settlements: readonly Settlement[]
  readonly requests: readonly CountedRequest[]
}

/** Sorts items by kind. */
export function batchOf(items: readonly Item[]): Batch {
  return {
    items,
    holds: items.flatMap(item => ('hold' in item ? [item.hold] : [])),
    settlements: items.flatMap(item => ('settle' in item ? [item.settle] : [])),
    requests: items.flatMap(item => ('count' in item ? [item.count] : [])),
  }
}

/** State for deciding a batch. */
export type World = AdmissionWorld & {
  /** Database time. */
  readonly now: Date
  /** Open calls by id. Earlier decisions of the batch are visible to later ones. */
  readonly states: Pick<Map<string, CallState>, 'get' | 'set'>
}

/**
 * Returns a working copy of the state for one batch. Decisions change the copy and never the memory.
 *
 * @param from.live current versions of services that differ from the quoted ones; null if a service cannot be called
 */
export function openWorld(
  batch: Batch,
  memory: LedgerMemory,
  from: { partition: Partition; now: Date; live: ReadonlyMap<string, bigint | null> },
): World {
  const { partition, now, live } = from
  const credentials = new Map<string, CredentialBudget>()
  const policies = new Map<string, PolicyBudget>()
  const calls = new Map<string, CallState>()
  const accounts = new Map<string, AccountState>()
  // A hold changes the account of its owner only.
  for (const id of accountsOf(batch.settlements.flatMap(endMovements))) accounts.set(id, EMPTY_ACCOUNT)
  for (const item of batch.items) {
    const { owner, credentialId } = partyOf(item)
    const state = memory.owner(owner)
    if (state === undefined) throw new Error(`The state of ${owner} is not in memory.`)
    const credential = state.credentials.get(credentialId)
    if (credential) credentials.set(credentialId, credential)
    if (state.policy !== null) policies.set(owner, state.policy)
    accounts.set(consumerAccount(owner), state.account)
    if (!('settle' in item)) continue
    const call = state.calls.get(item.settle.invocationId)
    if (call !== undefined) calls.set(item.settle.invocationId, call)
  }
  const admitted = new Map<string, KnownInvocation>()
  return {
    budgets: openBudgets({ credentials, policies }, now),
    books: openBooks(accounts),
    known: {
      get: key => admitted.get(key) ?? partition.keyOf(key),
      set: (key, invocation) => admitted.set(key, invocation),
    },
    states: calls,
    isCurrent: ({ id, version }) => !live.has(id) || live.get(id) === version,
    now,
  }
}

/** Returns the movements of a settlement: none while the call waits for its usage. */
export function endMovements(settlement: Settlement): Movement[] {
  const { owner, provider, hold, charge, fee, invocationId: reference, status } = settlement
  if (status === 'PROCESSING') return []
  if (status !== 'SUCCEEDED') return [{ kind: 'release', wallet: owner, amount: hold, reference }]
  return [{ kind: 'capture', consumer: owner, provider, hold, charge, fee, reference }]
}
