import sql from 'sql-template-tag'
import type { Tx } from '../../ports.ts'

/**
 * Locks the log partitions of the owners and projects them: until the transaction ends, their rows equal the log, and
 * no call of theirs is held or settled. Take this lock before all others. Triggers append to the log what the
 * transaction writes to their accounts, credentials and policies.
 *
 * @param owners wallets in lower case
 */
export async function lockPartitions(tx: Tx, owners: readonly string[]): Promise<void> {
  await tx.query(sql`select ledger_lock(${owners}::text[])`)
}
