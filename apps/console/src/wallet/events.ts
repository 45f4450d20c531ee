import type { Client } from 'viem'
import { getBlockNumber } from 'viem/actions'
import { wallet } from './use-wallet.ts'

/**
 * Events of the blocks after `block`; none when there is no such block yet, where many nodes refuse to look. Fails with a
 * WalletError.
 *
 * @param read the events from a block on
 */
export function eventsAfter<Found>(
  block: bigint,
  read: (client: Client, fromBlock: bigint) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  return wallet.ask(async client => {
    const newest = await getBlockNumber(client, { cacheTime: 0 })
    return newest > block ? read(client, block + 1n) : []
  })
}
