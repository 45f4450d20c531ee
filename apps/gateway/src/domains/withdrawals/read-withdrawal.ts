import { GatewayError } from '@farebox/wire/errors'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import type { Deps } from '../../ports.ts'
import { presentWithdrawal } from './present-withdrawal.ts'
import { findWithdrawal } from './store.ts'

/**
 * Reads a withdrawal of a wallet, with its ticket while that can be redeemed.
 *
 * @throws GatewayError WITHDRAWAL_NOT_FOUND, also for another wallet's
 */
export async function readWithdrawal(
  deps: Pick<Deps, 'db'>,
  key: { wallet: string; withdrawalId: string },
): Promise<Withdrawal> {
  const row = await findWithdrawal(deps.db, { id: key.withdrawalId, wallet: key.wallet })
  if (row === undefined) throw new GatewayError('WITHDRAWAL_NOT_FOUND')
  return presentWithdrawal(row)
}
