import { GatewayError } from '@farebox/wire/errors'
import type { Queryable, Tx } from '../../ports.ts'
import { lockPartitions } from '../ledger/lock-partitions.ts'
import type { CredentialRow } from './rules.ts'
import { findCredential, lockCredential, readClock } from './store.ts'

const CREDENTIAL_ID = /^cred_[0-9a-z]{26}$/

/** Key of a credential. The id of another owner's credential is treated as unknown. */
export type CredentialKey = { readonly owner: string; readonly id: string }

/**
 * Reads a credential of an owner, and the database time.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND
 */
export async function readOwnCredential(
  db: Queryable,
  key: CredentialKey,
): Promise<{ row: CredentialRow; now: Date }> {
  assertIdForm(key)
  const [row, now] = await Promise.all([findCredential(db, key), readClock(db)])
  if (row === undefined) throw new GatewayError('CREDENTIAL_NOT_FOUND')
  return { row, now }
}

/**
 * Locks a credential of an owner, which makes its calls wait, and reads the database time after the lock was acquired.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND
 */
export async function lockOwnCredential(
  tx: Tx,
  key: CredentialKey,
): Promise<{ row: CredentialRow; now: Date }> {
  assertIdForm(key)
  const [, row, now] = await Promise.all([
    lockPartitions(tx, [key.owner]),
    lockCredential(tx, key),
    readClock(tx),
  ])
  if (row === undefined) throw new GatewayError('CREDENTIAL_NOT_FOUND')
  return { row, now }
}

function assertIdForm({ id }: CredentialKey): void {
  if (!CREDENTIAL_ID.test(id)) throw new GatewayError('CREDENTIAL_NOT_FOUND')
}
