import { GatewayError } from '@farebox/wire/errors'
import type { Clock } from '../../../ports.ts'
import type { CredentialBudget } from '../../credentials/draw-budgets.ts'
import { type Item, type Part, partyOf } from '../admission/call-batch.ts'
import type { LockedPartition } from './append-store.ts'
import type { DatabaseTime } from './database-time.ts'
import { readChange } from './ledger-events.ts'
import type { LedgerMemory, Partition } from './ledger-memory.ts'
import type { LockingStore } from './ledger-store.ts'

/** Writer prefix of rows that triggers append, instead of a gateway (migrations/0049). */
const TRANSACTION = 'transaction '

/** Number of batches that lock their partitions first after another gateway has appended. */
const LOCKED_TURNS = 20

/** Keeps the state in memory up to date with the log. */
export type LogFollower = {
  /**
   * Returns true if parts can be decided without locks: their owners are loaded and no other gateway appended recently.
   */
  isInStep(parts: readonly Part[]): boolean
  /**
   * Locks the partitions of parts until the transaction ends, applies the rows that others appended, and loads owners
   * that are not in memory.
   */
  follow(within: LockingStore, parts: readonly Part[]): Promise<void>
}

/** Follows the log on behalf of the gateway `instanceId`. */
export function createLogFollower(
  memory: LedgerMemory,
  { instanceId, clock, time }: { instanceId: string; clock: Clock; time: DatabaseTime },
): LogFollower {
  let lockedTurns = 0
  const isForeign = (writer: string) =>
    !writer.startsWith(TRANSACTION) && !writer.startsWith(`${instanceId} `)
  return {
    isInStep: parts => lockedTurns === 0 && parts.every(part => isLoaded(memory, part)),
    async follow(within, parts) {
      const sentAt = clock.now()
      const { now, partitions } = await within.lockTails(
        parts.map(({ partition }) => ({
          partition: partition.number,
          known: partition.position?.head ?? null,
        })),
      )
      time.learn({ sentAt, read: now })
      const writers = partitions.flatMap(locked => applyTail(memory, locked))
      lockedTurns = writers.some(isForeign) ? LOCKED_TURNS : Math.max(0, lockedTurns - 1)
      await loadMissing(memory, within, parts)
    },
  }
}

const isLoaded = (memory: LedgerMemory, { partition, items }: Part): boolean =>
  partition.position !== null && items.every(item => isKnown(memory, partition, item))

/** State loaded in a transaction counts only after its commit: a rollback undoes its projection too. */
function isKnown(memory: LedgerMemory, { projected }: Partition, item: Item): boolean {
  const { owner, credentialId } = partyOf(item)
  const state = memory.owner(owner)
  return state !== undefined && state.readAt <= projected && state.credentials.has(credentialId)
}

/**
 * Applies the rows after the position in memory. Resets the partition if the tail lacks that position or does not reach
 * the head. Returns the writers of the rows.
 */
function applyTail(memory: LedgerMemory, { partition: number, position, tail }: LockedPartition): string[] {
  const partition = memory.partition(number)
  const rows = rowsBehind(partition.position, tail)
  for (const row of rows) memory.apply(partition, { ...row, change: readChange(row) })
  if (!isAt(partition, position)) memory.reset(partition, position)
  return rows.map(({ writer }) => writer)
}

function rowsBehind(position: Partition['position'], tail: LockedPartition['tail']): LockedPartition['tail'] {
  if (position === null) return []
  const known = tail.findIndex(({ seq, hash }) => seq === position.head && hash.equals(position.hash))
  return known === -1 && position.head > 0n ? [] : tail.slice(known + 1)
}

async function loadMissing(
  memory: LedgerMemory,
  within: LockingStore,
  parts: readonly Part[],
): Promise<void> {
  const missing = parts.flatMap(({ partition, items }) =>
    items.filter(item => !isKnown(memory, partition, item)).map(item => ({ ...partyOf(item), partition })),
  )
  if (missing.length === 0) return
  const wanted = Map.groupBy(missing, ({ owner }) => owner)
  const credentialIds = [...new Set(missing.map(({ credentialId }) => credentialId))]
  const positions = parts.map(({ partition }) => partition.position)
  const rows = await within.load({ owners: [...wanted.keys()], credentialIds })
  // No gateway appends while the locks are held. If the state has moved on, the server lost the locks, and the rows are
  // outdated.
  if (parts.some(({ partition }, index) => partition.position !== positions[index]))
    throw new GatewayError('UNAVAILABLE')
  const calls = Map.groupBy(rows.calls, ({ owner }) => owner)
  for (const [owner, parties] of wanted) {
    const [account, partition] = [rows.accounts.get(owner), parties[0]?.partition]
    if (account === undefined || partition === undefined) throw new Error('The accounts lack a wallet.')
    memory.load(partition, owner, {
      policy: rows.policies.get(owner) ?? null,
      account,
      credentials: new Map(
        parties.map(({ credentialId: id }) => [id, ownedBy(owner, rows.credentials.get(id))]),
      ),
      calls: calls.get(owner) ?? [],
    })
  }
}

const ownedBy = (owner: string, credential: CredentialBudget | undefined): CredentialBudget | null =>
  credential?.owner === owner ? credential : null

/** Returns true if the state of a partition is at this position. */
export const isAt = (
  { position }: Pick<Partition, 'position'>,
  other: { readonly head: bigint; readonly hash: Buffer },
): boolean => position !== null && position.head === other.head && position.hash.equals(other.hash)
