import { GatewayError } from '@farebox/wire/errors'
import { type Address, getAddress } from 'viem'

/**
 * Checks that money is to go to the wallet that asks, and to no other.
 *
 * @param address what the client sent, in any case of letters
 * @param asker   the wallet that asks, in lower case, and the member that it has sent
 * @throws GatewayError INVALID_ADDRESS with `detail.member`
 */
export function assertOwnAddress(address: unknown, asker: { wallet: Address; member: string }): void {
  const { wallet, member } = asker
  if (typeof address === 'string' && address.toLowerCase() === wallet) return
  const message = `${member}: Earnings are paid to the wallet that earns them, ${getAddress(wallet)}. Send that, or leave ${member} out.`
  throw new GatewayError('INVALID_ADDRESS', { member }, { message })
}
