import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { updateIsProvider } from './store.ts'

/**
 * Makes a wallet a provider, as registering its first service or issuing its first provider secret does. Nothing
 * happens to one that is a provider already.
 *
 * @param wallet in lower case, signed in at least once
 */
export function markProvider(tx: Tx, wallet: Address): Promise<void> {
  return updateIsProvider(tx, wallet)
}
