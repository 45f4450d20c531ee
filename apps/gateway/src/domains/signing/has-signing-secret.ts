import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { readSecrets, shareSecrets } from './secret-store.ts'

/** Returns true if an owner has a signing secret, and prevents its deletion until `tx` ends. */
export async function hasSigningSecret(tx: Tx, owner: Address): Promise<boolean> {
  const [, rows] = await Promise.all([shareSecrets(tx, owner), readSecrets(tx, owner)])
  return rows.length > 0
}
