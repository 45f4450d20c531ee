import { formatUsdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Withdrawal } from '@farebox/wire/withdrawals'
import { type Address, getAddress } from 'viem'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps, Tx } from '../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { announceWithdrawal } from './announce-withdrawal.ts'
import { closeUnpaid } from './close-unpaid.ts'
import { type IssueBlock, issueBlock, readLiquidity, readVaultFunds, signTicket } from './issue-ticket.ts'
import { presentWithdrawal } from './present-withdrawal.ts'
import { mayBecome } from './rules.ts'
import {
  findWithdrawal,
  listWithdrawals,
  lockTicketing,
  lockWithdrawal,
  readHistories,
  releaseOf,
  type WalletHistory,
  type WithdrawalRow,
  writeApproved,
} from './store.ts'

/** A withdrawal as shown to reviewers. */
export type ReviewedWithdrawal = Withdrawal & {
  readonly ownerAddress: Address
  readonly openedBy: Address | null
}

/** A withdrawal in the queue, with what its wallet withdrew before. */
export type QueuedWithdrawal = ReviewedWithdrawal & {
  readonly walletHistory: {
    readonly paid: number
    readonly paidUsdc: string
    readonly rejected: number
    /** ISO 8601. */
    readonly firstOpenedAt: string
  }
}

/** Called in the transaction of a review, with the record before and after. Throwing rolls the review back. */
export type OnReviewed = (
  tx: Tx,
  change: { before: ReviewedWithdrawal; after: ReviewedWithdrawal },
) => Promise<unknown>

/**
 * Lists the withdrawals of all wallets.
 *
 * @param query.status only those in this status
 * @param query.wallet only those of this wallet, in lower case
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listForReview(
  deps: Pick<Deps, 'db'>,
  query: {
    status?: Withdrawal['status'] | undefined
    wallet?: Address | undefined
    order: 'newest' | 'oldest'
    limit: number
    cursor?: string | undefined
  },
): Promise<Page<QueuedWithdrawal>> {
  const { cursor, limit, ...which } = query
  const rows = await listWithdrawals(deps.db, {
    ...which,
    after: keyOfCursor(cursor, /^wd_/),
    limit: limit + 1,
  })
  const page = pageOf(rows, limit, row => row.id)
  const wallets = [...new Set(page.items.map(({ wallet }) => wallet))]
  const histories = new Map((await readHistories(deps.db, wallets)).map(each => [each.wallet, each]))
  return { ...page, items: page.items.map(row => queued(row, histories.get(row.wallet))) }
}

/**
 * Approves a withdrawal under review and issues its ticket. The limits of automatic approval do not apply; the vault's
 * funds and the state of the books do. Admins cannot approve payments to their own wallet, nor withdrawals that they
 * opened themselves.
 *
 * @param review.reviewer wallet of the admin, in lower case
 * @throws GatewayError WITHDRAWAL_NOT_FOUND; WITHDRAWAL_NOT_OPEN when it is not under review; FORBIDDEN with `reason`
 * `own_withdrawal`; WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE; UNAVAILABLE with `reason` `vault_illiquid` or an
 * {@link IssueBlock}
 */
export async function approveWithdrawal(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'config' | 'log'>,
  review: { withdrawalId: string; reviewer: Address; reason: string | null },
  onReviewed: OnReviewed,
): Promise<ReviewedWithdrawal> {
  const found = await find(deps, review.withdrawalId)
  const { id, wallet, openedBy } = found
  if (wallet === review.reviewer || openedBy === review.reviewer) throw isOwn(id)
  const vault = await readVaultFunds(deps)
  const isBlocked = (await issueBlock(deps, deps.db, vault)) !== null
  const ticket = isBlocked ? null : await signTicket(deps, found, vault)
  return deps.db.transaction(async tx => {
    await lockTicketing(tx)
    const row = await lockWithdrawal(tx, id)
    assertUnderReview(row)
    const block = await issueBlock(deps, tx, vault)
    if (block !== null) throw notNow(block)
    if ((await readLiquidity(tx, vault)) < row.amount) throw notNow('vault_illiquid')
    if (ticket === null) throw notNow('ticket_signer_unavailable')
    const approved = await writeApproved(tx, id, { ticket, reason: review.reason })
    const change = { before: present(row), after: present(approved) }
    await announceWithdrawal(deps, tx, approved, row.status)
    await onReviewed(tx, change)
    return change.after
  })
}

/**
 * Rejects a withdrawal under review and releases its money.
 *
 * @throws GatewayError WITHDRAWAL_NOT_FOUND; WITHDRAWAL_NOT_OPEN when it is not under review
 */
export async function rejectWithdrawal(
  deps: Pick<Deps, 'db' | 'ids'>,
  review: { withdrawalId: string; reason: string },
  onReviewed: OnReviewed,
): Promise<ReviewedWithdrawal> {
  const found = await find(deps, review.withdrawalId)
  const { id } = found
  return deps.db.transaction(async tx => {
    const books = await lockBooks(tx, [releaseOf(found)])
    const row = await lockWithdrawal(tx, id)
    assertUnderReview(row)
    const closed = await closeUnpaid(deps, tx, books, row, { status: 'REJECTED', reason: review.reason })
    await books.write()
    const change = { before: present(row), after: present(closed) }
    await onReviewed(tx, change)
    return change.after
  })
}

async function find(deps: Pick<Deps, 'db'>, id: string): Promise<WithdrawalRow> {
  const row = await findWithdrawal(deps.db, { id })
  if (row === undefined) throw new GatewayError('WITHDRAWAL_NOT_FOUND')
  assertUnderReview(row)
  return row
}

function isOwn(withdrawalId: string): GatewayError {
  const message =
    'This withdrawal is paid to your wallet, or was opened by you. Another admin must approve it.'
  return new GatewayError('FORBIDDEN', { reason: 'own_withdrawal', withdrawalId }, { message })
}

function assertUnderReview({ id, status }: WithdrawalRow): void {
  const isUnderReview = mayBecome(status, 'REJECTED')
  if (isUnderReview) return
  const message = 'The withdrawal is not under review.'
  throw new GatewayError('WITHDRAWAL_NOT_OPEN', { withdrawalId: id, status }, { message })
}

const NOT_NOW: Readonly<Record<IssueBlock | 'vault_illiquid', string>> = {
  vault_illiquid: 'The vault does not hold enough beyond the open tickets.',
  books_inconsistent: 'The books do not reconcile; no ticket is issued until they do.',
  books_unchecked:
    'The books and the vault have not been compared recently; no ticket is issued until a check is clean.',
  no_ticket_signer: 'This gateway has no TICKET_SIGNER_KEY: approve at a gateway that has it.',
  ticket_signer_differs: "The vault's signer is not the key of this gateway.",
  ticket_signer_unavailable: 'The external signer of tickets does not sign now. Retry when it does.',
  chain_finding:
    'No ticket is issued while a finding about chain or database is open: see GET /api/v1/admin/findings.',
  chain_not_followed:
    'The books may lack payments of the vault; no ticket is issued until the chain is followed to its head and a check of the books is clean.',
}

function notNow(reason: keyof typeof NOT_NOW): GatewayError {
  const message = NOT_NOW[reason]
  return new GatewayError(
    'UNAVAILABLE',
    { reason },
    { message, retryAfterSeconds: RETRY_AFTER_SECONDS.unsettled },
  )
}

function present(row: WithdrawalRow): ReviewedWithdrawal {
  const { wallet, openedBy } = row
  return {
    ...presentWithdrawal(row),
    ownerAddress: getAddress(wallet),
    openedBy: openedBy === null ? null : getAddress(openedBy),
  }
}

function queued(row: WithdrawalRow, history: WalletHistory | undefined): QueuedWithdrawal {
  return {
    ...present(row),
    walletHistory: {
      paid: Number(history?.paid ?? 0n),
      paidUsdc: formatUsdc(history?.paidAmount ?? ZERO),
      rejected: Number(history?.rejected ?? 0n),
      firstOpenedAt: (history?.firstOpenedAt ?? row.openedAt).toISOString(),
    },
  }
}
