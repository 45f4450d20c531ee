import type { Usdc } from '@farebox/money'
import type { Deps, Tx } from '../../../ports.ts'
import type { BudgetRows } from '../../credentials/draw-budgets.ts'
import { readBudgets } from '../../credentials/read-budgets.ts'
import type { AccountState } from '../../ledger/lock-books.ts'
import { lockPartitions } from '../../ledger/lock-partitions.ts'
import { readConsumers } from '../../ledger/read-consumers.ts'
import { type Announcement, announce } from '../../webhooks/announce.ts'
import type { Append } from './append-statement.ts'
import {
  type Appended,
  append,
  type LockedPartition,
  lockTails,
  type OpenRow,
  readOpenCalls,
} from './append-store.ts'

/** Storage of the log and its projections. */
export type LedgerStore = {
  /** Appends in its own transaction; see {@link append}. */
  append(appends: readonly Append[], from: { writer: string; now: Date }): Promise<Appended>
  /** Runs `work` in one transaction, which is rolled back if it throws. */
  transaction<T>(work: (within: LockingStore) => Promise<T>): Promise<T>
}

/** The log within a transaction. */
export type LockingStore = {
  readonly tx: Tx
  append: LedgerStore['append']
  /** See {@link lockTails}. */
  lockTails(
    wanted: readonly { readonly partition: number; readonly known: bigint | null }[],
  ): Promise<{ now: Date; partitions: readonly LockedPartition[] }>
  /** Returns the state of owners and credentials at the heads of their partitions. Locks the partitions. */
  load(wanted: {
    readonly owners: readonly string[]
    readonly credentialIds: readonly string[]
  }): Promise<LoadedRows>
  /** Queues announcements. The promise need not be awaited before the commit. */
  announce(news: readonly Announcement[]): Promise<unknown>
}

/** Rows that make up the state of owners. */
export type LoadedRows = BudgetRows & {
  /** By wallet. */
  readonly accounts: ReadonlyMap<string, AccountState>
  readonly calls: readonly OpenRow[]
}

/**
 * Stores the log in PostgreSQL.
 *
 * @param deps.batchDb        connections that plan by key only
 * @param options.monthlyDefault monthly limit of owners without their own, in micro-USDC
 */
export function createLedgerStore(
  deps: Pick<Deps, 'batchDb' | 'ids'>,
  { monthlyDefault }: { monthlyDefault: Usdc },
): LedgerStore {
  const { batchDb } = deps
  return {
    append: (appends, from) => append(batchDb, appends, from),
    transaction: work =>
      batchDb.transaction(tx =>
        work({
          tx,
          append: (appends, from) => append(tx, appends, from),
          lockTails: wanted => lockTails(tx, wanted),
          async load({ owners, credentialIds }) {
            const [, budgets, accounts, calls] = await Promise.all([
              lockPartitions(tx, owners),
              readBudgets(tx, { owners, credentialIds, monthlyDefault }),
              readConsumers(tx, owners),
              readOpenCalls(tx, owners),
            ])
            return { ...budgets, accounts, calls }
          },
          announce: news => announce(deps, tx, news),
        }),
      ),
  }
}
