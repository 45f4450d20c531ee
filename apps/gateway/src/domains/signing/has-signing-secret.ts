import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { readSecrets, shareSecrets } from './secret-store.ts'

/** Says whether an owner has a signing secret; if so, it is not deleted before `tx` ends. */
export async function hasSigningSecret(tx: Tx, owner: Address): Promise<boolean> {
  const [, rows] = await Promise.all([shareSecrets(tx, owner), readSecrets(tx, owner)])
  return rows.length > 0
}
