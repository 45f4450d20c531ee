import type { Client } from 'viem'
import { getBlockNumber } from 'viem/actions'
import { wallet } from './use-wallet.ts'

/**
 * Returns the events of the blocks after `block`, or none if there is no such block yet: many nodes then return an
 * error. Throws WalletError.
 *
 * @param read fetches the events from a block on
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
