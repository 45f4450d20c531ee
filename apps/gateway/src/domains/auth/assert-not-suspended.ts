import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { suspended } from './rules.ts'
import { readSuspension } from './store.ts'

/**
 * Rejects a suspended wallet and prevents its suspension until the transaction ends, so that a request admitted before
 * a suspension has no effect after it. Call it before locking any other row.
 *
 * @param wallet in lower case
 * @throws GatewayError WALLET_SUSPENDED
 */
export async function assertNotSuspended(tx: Tx, wallet: Address): Promise<void> {
  const suspension = await readSuspension(tx, wallet)
  if (suspension !== null) throw suspended(suspension.suspensionReason)
}
