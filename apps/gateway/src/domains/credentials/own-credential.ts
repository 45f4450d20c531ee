import { GatewayError } from '@farebox/wire/errors'
import type { Queryable, Tx } from '../../ports.ts'
import { lockPartitions } from '../ledger/lock-partitions.ts'
import type { CredentialRow } from './rules.ts'
import { findCredential, lockCredential, readClock } from './store.ts'

const CREDENTIAL_ID = /^cred_[0-9a-z]{26}$/

/** Whose credential is meant. An id that is another owner's is as unknown as one that never was. */
export type CredentialKey = { readonly owner: string; readonly id: string }

/**
 * Reads a credential of this owner, and the database time.
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
 * Locks a credential of this owner, whose calls wait meanwhile, and reads the database time after the lock was had.
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
