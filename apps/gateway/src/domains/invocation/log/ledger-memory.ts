import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { LRUCache } from 'lru-cache'
import { createBoundedCache } from '../../../runtime/bounded-cache.ts'
import type { CredentialBudget, PolicyBudget } from '../../credentials/draw-budgets.ts'
import type { AccountState } from '../../ledger/lock-books.ts'
import { type KnownInvocation, keyOf } from '../admission/admit.ts'
import type { InvocationStatus } from '../rules.ts'
import type { OpenRow } from './append-store.ts'
import type { Change } from './ledger-events.ts'

/** Limits of the state in memory. */
export type MemoryBounds = {
  /** Maximum owners in memory. The least recently used one is evicted. */
  readonly owners: number
  /** Maximum credentials of one owner. Beyond it the owner is loaded again. */
  readonly credentialsPerOwner: number
  /** Maximum projected idempotency keys of one partition. */
  readonly keys: number
}
const BOUNDS: MemoryBounds = { owners: 20_000, credentialsPerOwner: 10_000, keys: 1_024 }

/** The invocation of a key. `seq`: the last log row about it; null if all are projected. */
export type KnownKey = KnownInvocation & { readonly seq: bigint | null }

/** An open call. `key` identifies its {@link KnownKey}. */
export type OpenState = {
  readonly status: InvocationStatus
  readonly errorCode: string | null
  readonly key: string
}

/** Everything that limits the calls of an owner, at the head of its partition. */
export type OwnerState = {
  policy: PolicyBudget | null
  account: AccountState
  /** By id; null if there is no such credential. */
  readonly credentials: Map<string, CredentialBudget | null>
  readonly calls: Map<string, OpenState>
  readonly partition: HeldPartition
  /**
   * Head of the partition when the owner was loaded. The state is valid once everything up to this row is projected
   * durably, as keys of earlier calls are only in the tables.
   */
  readonly readAt: bigint
}

/** The state of an owner as loaded from the database. */
export type LoadedOwner = Pick<OwnerState, 'policy' | 'account' | 'credentials'> & {
  readonly calls: readonly OpenRow[]
}

/** Keys of open calls and of ended ones: all that are not projected yet, and some that are. */
type Keys = { readonly open: Map<string, KnownKey>; readonly over: Map<string, KnownKey> }

/** The state of a partition in memory. */
export type Partition = {
  readonly number: number
  /** The last applied log row and its hash; null if unknown. */
  position: { readonly head: bigint; readonly hash: Buffer } | null
  /** Rows up to this one are known to be projected durably. */
  projected: bigint
  /** Returns the invocation of a key; undefined if it is not in memory. */
  keyOf(key: string): KnownKey | undefined
}

/** Fold of the log for the owners served by this gateway: a cache of the database. */
export type LedgerMemory = {
  partition(number: number): Partition
  /** Returns the partition of an owner. */
  partitionOf(wallet: string): Partition
  /** Returns the state of an owner; undefined if it must be loaded. */
  owner(wallet: string): OwnerState | undefined
  /** Adds the state of an owner that was read at the head of its partition. */
  load(partition: Partition, wallet: string, state: LoadedOwner): void
  /** Adds a key of an ended call, as read from the tables. */
  learnKey(partition: Partition, key: string, invocation: KnownInvocation): void
  /** Applies the row after the current position. Ignores any other row. */
  apply(partition: Partition, row: { seq: bigint; hash: Buffer; change: Change }): void
  /** Evicts the owners of a partition and sets its position. */
  reset(partition: Partition, position: Partition['position']): void
}

type HeldPartition = Partition & Keys
type Owners = LRUCache<string, OwnerState>

/** Starts empty. */
export function createLedgerMemory(partitions: number, bounds: MemoryBounds = BOUNDS): LedgerMemory {
  const held = Array.from({ length: partitions }, (_, number) => emptyPartition(number))
  const owners: Owners = createBoundedCache(bounds.owners, {
    // The call is no longer tracked, so its key would stay open for ever.
    dispose(state) {
      for (const { key } of state.calls.values()) state.partition.open.delete(key)
    },
  })
  const own = ({ number }: Partition): HeldPartition => at(number)

  const at = (number: number): HeldPartition => {
    const partition = held[number]
    if (partition === undefined) throw new RangeError(`There is no partition ${number}.`)
    return partition
  }

  return {
    partition: at,
    // The lookup saves a hash.
    partitionOf: wallet => owners.peek(wallet)?.partition ?? at(ledgerPartitionOf(wallet)),
    owner: wallet => owners.get(wallet),
    load(partition, wallet, { policy, account, credentials, calls }) {
      const before = owners.peek(wallet)
      if (before !== undefined && before.credentials.size <= bounds.credentialsPerOwner) {
        before.policy = policy
        before.account = account
        for (const [id, credential] of credentials) before.credentials.set(id, credential)
        return
      }
      const state: OwnerState = {
        policy,
        account,
        credentials,
        calls: new Map(),
        partition: own(partition),
        readAt: partition.position?.head ?? 0n,
      }
      owners.set(wallet, state)
      for (const { status, errorCode, credentialId, idempotencyKey, ...call } of calls) {
        const { id, requestHash, drawnAt, hold } = call
        const key = keyOf({ credentialId, idempotencyKey })
        state.calls.set(id, { status, errorCode, key })
        own(partition).open.set(key, { id, requestHash, status, drawnAt, hold, seq: null })
      }
    },
    learnKey(partition, key, invocation) {
      own(partition).over.set(key, { ...invocation, seq: null })
    },
    apply(partition, { seq, hash, change }) {
      if (partition.position === null || partition.position.head + 1n !== seq) return
      partition.position = { head: seq, hash }
      if (change.rewritten !== null) owners.delete(change.rewritten)
      applyCalls(owners, own(partition), { seq, change })
      applyCounters(owners, change)
      prune(own(partition), bounds.keys)
    },
    reset(partition, position) {
      for (const [wallet, state] of owners.entries()) {
        if (state.partition === own(partition)) owners.delete(wallet)
      }
      own(partition).open.clear()
      own(partition).over.clear()
      // After a reset, less may be projected.
      partition.projected = 0n
      partition.position = position
    },
  }
}

function emptyPartition(number: number): HeldPartition {
  const open = new Map<string, KnownKey>()
  const over = new Map<string, KnownKey>()
  return { number, position: null, projected: 0n, open, over, keyOf: key => open.get(key) ?? over.get(key) }
}

/** Evicts the oldest keys that are projected. */
function prune({ over, projected }: HeldPartition, keysMax: number): void {
  for (const [key, { seq }] of over) {
    if (over.size <= keysMax || (seq !== null && seq > projected)) return
    over.delete(key)
  }
}

/** Skips owners that are not in memory: loading them also loads their calls, once all keys are projected. */
function applyCalls(
  owners: Owners,
  partition: HeldPartition,
  { seq, change }: { seq: bigint; change: Change },
): void {
  for (const { key, owner, ...known } of change.held) {
    const state = owners.peek(owner)
    if (state === undefined) continue
    state.calls.set(known.id, { status: 'PENDING', errorCode: null, key })
    partition.open.set(key, { ...known, seq })
  }
  for (const { id, owner, status, errorCode } of change.moved) {
    const state = owners.peek(owner)
    const call = state?.calls.get(id)
    if (state === undefined || call === undefined) continue
    const known = partition.open.get(call.key)
    if (status === 'PROCESSING') {
      state.calls.set(id, { ...call, status, errorCode })
      if (known !== undefined) partition.open.set(call.key, { ...known, status, seq })
      continue
    }
    state.calls.delete(id)
    partition.open.delete(call.key)
    if (known !== undefined) partition.over.set(call.key, { ...known, status, seq })
  }
}

function applyCounters(owners: Owners, change: Change): void {
  for (const [id, { owner, callsUsed, spent, held, intervalStart, rateWindow }] of change.credentials) {
    const credentials = owners.peek(owner)?.credentials
    const before = credentials?.get(id)
    if (before === undefined || before === null) continue
    credentials?.set(id, { ...before, callsUsed, spent, held, intervalStart, rateWindow })
  }
  for (const [owner, { monthStart, monthDrawn, dayStart, dayDrawn }] of change.policies) {
    const state = owners.peek(owner)
    if (state === undefined || state.policy === null) continue
    state.policy = { ...state.policy, monthStart, monthDrawn, dayStart, dayDrawn }
  }
  for (const [owner, account] of change.accounts) {
    const state = owners.peek(owner)
    if (state !== undefined) state.account = account
  }
}
