import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { updateIsProvider } from './store.ts'

/**
 * Gives a wallet the provider role, as when it registers its first service or issues its first provider secret.
 * Idempotent.
 *
 * @param wallet in lower case; it has signed in at least once
 */
export function markProvider(tx: Tx, wallet: Address): Promise<void> {
  return updateIsProvider(tx, wallet)
}
