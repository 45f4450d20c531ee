import type { WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import { getAddress } from 'viem'
import type { Tx } from '../../ports.ts'
import { posesAsWallet } from './rules.ts'
import { updateUsername } from './store.ts'

/**
 * Gives a wallet another username.
 *
 * @param wallet   in lower case, signed in at least once
 * @param username as `usernameIn` of the wire reads it
 * @throws GatewayError INVALID_PAYLOAD for a name that reads as the address of another wallet
 */
export async function renameWallet(tx: Tx, wallet: WalletAddress, username: string): Promise<void> {
  if (posesAsWallet(username, getAddress(wallet))) {
    const message = 'Must not look like the address of another wallet.'
    throw new GatewayError(
      'INVALID_PAYLOAD',
      { issues: [{ path: 'username', message }] },
      { message: `username: ${message}` },
    )
  }
  await updateUsername(tx, wallet, username)
}
