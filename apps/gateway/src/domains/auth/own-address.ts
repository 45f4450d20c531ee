import { GatewayError } from '@farebox/wire/errors'
import { type Address, getAddress } from 'viem'

/**
 * Checks that a payment goes to the requesting wallet.
 *
 * @param address as sent by the client, in any case
 * @param asker   the requesting wallet, in lower case, and the name of the member with the address
 * @throws GatewayError INVALID_ADDRESS with `detail.member`
 */
export function assertOwnAddress(address: unknown, asker: { wallet: Address; member: string }): void {
  const { wallet, member } = asker
  if (typeof address === 'string' && address.toLowerCase() === wallet) return
  const message = `${member}: Earnings are paid to the wallet that earns them, ${getAddress(wallet)}. Send that, or leave ${member} out.`
  throw new GatewayError('INVALID_ADDRESS', { member }, { message })
}
