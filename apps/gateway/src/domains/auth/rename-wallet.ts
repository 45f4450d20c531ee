import { GatewayError } from '@farebox/wire/errors'
import { getAddress } from 'viem'
import type { Tx } from '../../ports.ts'
import type { Owner } from './require-owner.ts'
import { posesAsWallet } from './rules.ts'
import { posesAsStaff } from './staff-name-rules.ts'
import { updateUsername } from './store.ts'

/**
 * Changes the username of a wallet. A wallet may keep its current name even if that name would now be refused.
 *
 * @param owner    signed-in wallet
 * @param username as validated by `usernameIn`
 * @throws GatewayError INVALID_PAYLOAD for a name that resembles the address of another wallet and, except for wallets
 * of `ADMIN_WALLETS`, for one that poses as staff
 */
export async function renameWallet(
  tx: Tx,
  owner: Pick<Owner, 'wallet' | 'username' | 'isAdmin'>,
  username: string,
): Promise<void> {
  if (username === owner.username) return
  if (posesAsWallet(username, getAddress(owner.wallet))) {
    throw refusedName('Must not look like the address of another wallet.')
  }
  if (!owner.isAdmin && posesAsStaff(username)) {
    throw refusedName(
      'Must not look like staff: words such as Farebox, admin, support, official and team are reserved. Choose another name.',
    )
  }
  await updateUsername(tx, owner.wallet, username)
}

function refusedName(message: string): GatewayError {
  return new GatewayError(
    'INVALID_PAYLOAD',
    { issues: [{ path: 'username', message }] },
    { message: `username: ${message}` },
  )
}
