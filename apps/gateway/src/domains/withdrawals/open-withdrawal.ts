import { formatUsdc, parseUsdc, type Usdc, ZERO } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import type { OpenedWithdrawal, Withdrawal } from '@farebox/wire/withdrawals'
import { type Address, getAddress } from 'viem'
import { requestHash } from '../../http/idempotency.ts'
import type { Deps, Queryable, Tx } from '../../ports.ts'
import { type OnceOnly, onceOnly, storedAnswer } from '../../sql/once-only.ts'
import { assertNotSuspended } from '../auth/assert-not-suspended.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { announceWithdrawal } from './announce-withdrawal.ts'
import { issueBlock, readLiquidity, readVaultFunds, signTicket, type VaultSnapshot } from './issue-ticket.ts'
import { presentTicket, presentWithdrawal } from './present-withdrawal.ts'
import { reviewCauses } from './rules.ts'
import {
  findWithdrawal,
  insertWithdrawal,
  lockTicketing,
  sumAutomaticToday,
  sumOpenedToday,
  type WithdrawalRow,
} from './store.ts'

/**
 * Options of a withdrawal of the platform's fees: the admin who opens it, in lower case, and a callback in its
 * transaction.
 */
export type FeePayout = {
  readonly by: Address
  onOpened(tx: Tx, opened: Withdrawal): Promise<unknown>
}

/**
 * Locks earnings of a provider and, if no review is needed, issues a ticket for them. Lock, record, ticket and stored
 * answer are one transaction; retry with the same key to get this withdrawal again, in its current state.
 *
 * Lock order: wallet, ticketing, account, record.
 *
 * @param input.amount micro-USDC, more than zero
 * @param input.payout to withdraw fees, less losses, instead of earnings
 * @throws GatewayError WALLET_SUSPENDED; INSUFFICIENT_PROVIDER_RECEIVABLE; WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE;
 * IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS. Nothing is locked then
 */
export async function openWithdrawal(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'config' | 'log'>,
  input: { wallet: Address; amount: Usdc; idempotencyKey: string; payout?: FeePayout },
): Promise<OnceOnly<OpenedWithdrawal>> {
  const { wallet, amount, idempotencyKey: key, payout } = input
  const source = payout === undefined ? 'earnings' : 'fees'
  const { db } = deps
  const request = {
    scope: payout === undefined ? `withdrawals:${wallet}` : `fees:${payout.by}`,
    key,
    requestHash: requestHash({ amount: amount.toString(), ...(payout !== undefined && { wallet }) }),
  }
  const before = await storedAnswer<OpenedWithdrawal>(db, request)
  if (before !== null) return inStateOfNow(db, before)

  if (payout === undefined) {
    const { providerReceivable } = await readBalance(db, wallet)
    if (providerReceivable < amount) throw insufficient(providerReceivable, amount)
  }
  const vault = await readVaultFunds(deps)
  const id = deps.ids.next('wd')
  // Signed only if it will probably be issued; the transaction decides.
  const forecast = await causesOf(deps, db, { wallet, amount, promotional: ZERO, vault })
  const signed = forecast.length === 0 ? await signTicket(deps, { id, wallet, amount }, vault) : null

  const answer = await onceOnly(db, request, async (tx): Promise<OpenedWithdrawal> => {
    await assertNotSuspended(tx, wallet)
    await lockTicketing(tx)
    const lock = { kind: 'withdrawal-lock', wallet, source, amount, reference: id } as const
    const losses = { kind: 'loss', amount: ZERO, reference: id } as const
    const books = await lockBooks(tx, payout === undefined ? [lock] : [lock, losses])
    const available = payout === undefined ? books.receivable(wallet) : books.fees()
    const promotional = books.promotionalOf(lock)
    if (available < amount || !books.post(lock)) throw insufficient(available, amount)
    await books.write()

    const causes = await causesOf(deps, tx, { wallet, amount, promotional, vault })
    const ticket = causes.length === 0 ? signed : null
    const isSignerAway = causes.length === 0 && ticket === null
    const row = await insertWithdrawal(tx, {
      id,
      wallet,
      amount,
      promotional,
      source,
      ticket,
      reviewCauses: isSignerAway ? ['tickets_stopped'] : causes,
      openedBy: payout?.by ?? null,
      nonce: withdrawalNonce(id),
    })
    await announceWithdrawal(deps, tx, row, null)
    await payout?.onOpened(tx, presentWithdrawal(row))
    return presentOpened(row)
  })
  return inStateOfNow(db, answer)
}

/** Returns why a withdrawal must be reviewed; a forecast unless `db` holds the ticketing lock. */
async function causesOf(
  deps: Pick<Deps, 'chain' | 'config'>,
  db: Queryable,
  asked: { wallet: Address; amount: Usdc; promotional: Usdc; vault: VaultSnapshot },
) {
  const { wallet, amount, promotional, vault } = asked
  return reviewCauses({
    amount,
    promotional,
    openedToday: await sumOpenedToday(db, wallet),
    autoApproveMax: parseUsdc(deps.config.WITHDRAW_AUTO_APPROVE_MAX_USDC),
    approvedToday: await sumAutomaticToday(db),
    autoApproveTotal: parseUsdc(deps.config.WITHDRAW_AUTO_APPROVE_TOTAL_USDC),
    liquidity: await readLiquidity(db, vault),
    isTicketing: (await issueBlock(deps, db, vault)) === null,
  })
}

/**
 * Returns a replayed answer with the current state of the withdrawal: reviewed, paid, cancelled, or with a re-signed
 * ticket.
 */
async function inStateOfNow(
  db: Queryable,
  answer: OnceOnly<OpenedWithdrawal>,
): Promise<OnceOnly<OpenedWithdrawal>> {
  const { body, isReplay } = answer
  if (!isReplay) return answer
  const row = await findWithdrawal(db, { id: body.withdrawalId })
  if (row === undefined) throw new Error(`The withdrawal ${body.withdrawalId} is gone.`)
  return { isReplay, body: presentOpened(row) }
}

function presentOpened(row: WithdrawalRow): OpenedWithdrawal {
  return {
    status: 'success',
    ownerAddress: getAddress(row.wallet),
    withdrawalId: row.id,
    intentId: row.id,
    statusLabel: row.status,
    amountUsdc: formatUsdc(row.amount),
    ticket: presentTicket(row),
  }
}

function insufficient(receivable: Usdc, amount: Usdc): GatewayError {
  const [receivableUsdc, requestedUsdc] = [formatUsdc(receivable), formatUsdc(amount)]
  const message = `${receivableUsdc} USDC can be withdrawn, not ${requestedUsdc}.`
  return new GatewayError('INSUFFICIENT_PROVIDER_RECEIVABLE', { receivableUsdc, requestedUsdc }, { message })
}
