import sql from 'sql-template-tag'
import type { Tx } from '../../ports.ts'

/**
 * Locks the partitions of the log that these owners are in, and projects them: until the end of the transaction their
 * rows are what the log says, and no call of theirs is held or ends. To be taken before any other lock. What the
 * transaction writes to their accounts, credentials and policies is appended to the log by triggers.
 *
 * @param owners wallets in lower case
 */
export async function lockPartitions(tx: Tx, owners: readonly string[]): Promise<void> {
  await tx.query(sql`select ledger_lock(${owners}::text[])`)
}
