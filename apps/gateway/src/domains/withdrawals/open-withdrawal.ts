import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import type { OpenedWithdrawal } from '@farebox/wire/withdrawals'
import { type Address, getAddress } from 'viem'
import { type OnceOnly, onceOnly, requestHash, storedAnswer } from '../../http/idempotency.ts'
import type { Deps } from '../../ports.ts'
import { assertNotSuspended } from '../auth/assert-not-suspended.ts'
import { postMovements } from '../ledger/post-movements.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { ticketBlock } from '../ledger/ticket-gate.ts'
import { announceWithdrawal } from './announce-withdrawal.ts'
import { issueTicket, readLiquidity, readVaultFunds } from './issue-ticket.ts'
import { presentTicket } from './present-withdrawal.ts'
import { decideOpening } from './rules.ts'
import { insertWithdrawal, lockTicketing, sumOpenedToday } from './store.ts'

/**
 * Locks earnings of a provider and, if that needs no review, issues a ticket for them. Lock, record, ticket and
 * stored answer are one transaction: a reply that was lost is had again, with the same ticket, by the same key.
 *
 * Locks in the order of the house: the wallet, then ticketing, then the account, then the record.
 *
 * @param input.amount micro-USDC, more than zero
 * @throws GatewayError WALLET_SUSPENDED; INSUFFICIENT_PROVIDER_RECEIVABLE; WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE;
 *   IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS. Nothing is locked then
 */
export async function openWithdrawal(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'config'>,
  input: { wallet: Address; amount: Usdc; idempotencyKey: string },
): Promise<OnceOnly<OpenedWithdrawal>> {
  const { wallet, amount, idempotencyKey: key } = input
  const { db, chain } = deps
  const request = {
    scope: `withdrawals:${wallet}`,
    key,
    requestHash: requestHash({ amount: amount.toString() }),
  }
  const before = await storedAnswer<OpenedWithdrawal>(db, request)
  if (before !== null) return before

  const { providerReceivable } = await readBalance(db, wallet)
  if (providerReceivable < amount) throw insufficient(providerReceivable, amount)
  const vault = await readVaultFunds(chain)
  const id = deps.ids.next('wd')

  return onceOnly(db, request, async tx => {
    await assertNotSuspended(tx, wallet)
    await lockTicketing(tx)
    const [isLocked] = await postMovements(tx, [{ kind: 'withdrawal-lock', wallet, amount, reference: id }])
    if (isLocked !== true) throw insufficient((await readBalance(tx, wallet)).providerReceivable, amount)

    const status = decideOpening({
      amount,
      openedToday: await sumOpenedToday(tx, wallet),
      autoApproveMax: parseUsdc(deps.config.WITHDRAW_AUTO_APPROVE_MAX_USDC),
      liquidity: await readLiquidity(tx, vault),
      isTicketing: (await ticketBlock(tx)) === null,
    })
    const ticket = status === 'APPROVED_AUTO' ? await issueTicket(deps, { id, wallet, amount }, vault) : null
    const row = await insertWithdrawal(tx, { id, wallet, amount, status, nonce: withdrawalNonce(id), ticket })
    await announceWithdrawal(deps, tx, row, null)
    return {
      status: 'success',
      ownerAddress: getAddress(wallet),
      withdrawalId: id,
      statusLabel: row.status,
      amountUsdc: formatUsdc(amount),
      ticket: presentTicket(row),
    }
  })
}

function insufficient(receivable: Usdc, amount: Usdc): GatewayError {
  return new GatewayError('INSUFFICIENT_PROVIDER_RECEIVABLE', {
    receivableUsdc: formatUsdc(receivable),
    requestedUsdc: formatUsdc(amount),
  })
}
