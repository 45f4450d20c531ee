import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { readSuspension } from './store.ts'

/**
 * Refuses to go on for a suspended wallet, and keeps it from being suspended until the transaction ends: what the
 * guard let in before the suspension takes no effect after it. To be called before any other row is locked.
 *
 * @param wallet in lower case
 * @throws GatewayError WALLET_SUSPENDED
 */
export async function assertNotSuspended(tx: Tx, wallet: Address): Promise<void> {
  if (await readSuspension(tx, wallet)) throw new GatewayError('WALLET_SUSPENDED')
}
