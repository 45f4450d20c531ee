import type { DepositIntent } from '@farebox/wire/deposits'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { presentDeposit } from './present-deposit.ts'
import { settleDeposit } from './settle-deposit.ts'
import { type DepositRow, findDeposit } from './store.ts'

/**
 * Credits a claimed deposit if it is confirmed on the chain: the amounts of the vault's events, to the wallets they
 * name. The claim itself decides nothing.
 *
 * @returns the credited deposit, also if it was credited before
 * @throws GatewayError DEPOSIT_NOT_FOUND; DEPOSIT_NOT_CONFIRMED with `confirmations` and `requiredConfirmations`;
 * DEPOSIT_REJECTED with `reason`; UNAVAILABLE when the chain is unreachable
 */
export async function confirmDeposit(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  key: { wallet: string; id: string },
): Promise<DepositIntent> {
  const before = await find(deps, key)
  const isOpen = before.status === 'pending' || before.status === 'confirming'
  if (isOpen) await settleDeposit(deps, before)
  const after = isOpen ? await find(deps, key) : before

  const intent = presentDeposit(after, deps.chain.facts)
  if (after.status === 'credited') return intent
  if (after.status === 'rejected') {
    throw new GatewayError('DEPOSIT_REJECTED', { reason: after.reason, depositIntentId: after.id })
  }
  const { confirmations, requiredConfirmations } = intent
  throw new GatewayError(
    'DEPOSIT_NOT_CONFIRMED',
    { confirmations, requiredConfirmations, depositIntentId: after.id },
    { retryAfterSeconds: RETRY_AFTER_SECONDS.pending },
  )
}

async function find(deps: Pick<Deps, 'db'>, key: { wallet: string; id: string }): Promise<DepositRow> {
  const row = await findDeposit(deps.db, key)
  if (row === undefined) throw new GatewayError('DEPOSIT_NOT_FOUND')
  return row
}
