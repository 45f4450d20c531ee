import { GatewayError } from '@farebox/client/errors'
import { api } from '../../../api.ts'
import { WalletError } from '../../../wallet/errors.ts'
import { readBlockNumber, readChainTime } from '../../../wallet/transactions.ts'
import {
  change,
  follow,
  type Run,
  rest,
  runFlow,
  wasNotSent,
  withAskingState,
} from '../../../wallet/wallet-flow.ts'
import { findRedemption, redeem, tryTicket } from './withdraw-chain.ts'
import { stageOf, type Withdrawal, type WithdrawDraft } from './withdraw-draft.ts'
import { describeEnd, describeRefusal } from './withdraw-labels.ts'

type WithdrawRun = Run<WithdrawDraft>

/**
 * Runs a withdrawal as far as possible. Returns when it is completed or has failed, when the wallet must be asked
 * without a click, on an error that is not transient, or when the run is aborted.
 */
export function runWithdrawal(run: WithdrawRun): Promise<void> {
  let { mayAsk } = run
  return runFlow(run, draft => {
    // After a review the person may be gone, so the click no longer counts.
    if (stageOf(draft) === 'review') mayAsk = false
    return takeStep({ ...run, mayAsk }, draft)
  })
}

/** @returns whether to continue at once */
function takeStep(run: WithdrawRun, draft: WithdrawDraft): Promise<boolean> | boolean {
  switch (stageOf(draft)) {
    case 'opening':
      return open(run, draft)
    case 'review':
    case 'expired':
      return pollWithdrawal(run, draft)
    case 'redeeming':
      return askWallet(run, draft)
    case 'mining':
      return awaitMined(run, draft)
    case 'confirming':
      return complete(run, draft)
    default:
      return false
  }
}

async function open(run: WithdrawRun, { amountUsdc, key }: WithdrawDraft): Promise<boolean> {
  try {
    const { withdrawalId, ticket } = await api.openWithdrawal({
      body: { amountUsdc },
      idempotencyKey: key,
      signal: run.signal,
    })
    change(run, { withdrawalId, ...(ticket === null ? { isReviewed: true } : { ticket }) })
  } catch (error) {
    if (!(error instanceof GatewayError) || error.isPassing) throw error
    change(run, { end: { why: 'REFUSED', reported: describeRefusal(error) } })
  }
  return true
}

/** Updates the draft from the gateway. */
async function refreshWithdrawal(run: WithdrawRun, draft: WithdrawDraft): Promise<Withdrawal> {
  const path = { withdrawalId: draft.withdrawalId ?? '' }
  const { withdrawal } = await api.readWithdrawal({ path, signal: run.signal })
  const { status, ticket, txHash, reason, reviewCauses } = withdrawal
  if (status === 'COMPLETED')
    change(run, { isCompleted: true, ...(txHash !== null && { hash: txHash as `0x${string}` }) })
  else if (status === 'REJECTED' || status === 'CANCELLED')
    change(run, { end: { why: status, reported: describeEnd(status, reason) } })
  else if (ticket !== null && draft.ticket === undefined) change(run, { ticket })
  else if (status === 'PENDING_REVIEW' && draft.reviewCauses === undefined) change(run, { reviewCauses })
  return withdrawal
}

/** Waits for the review, or for the cancellation of a ticket past its deadline. */
async function pollWithdrawal(run: WithdrawRun, draft: WithdrawDraft): Promise<boolean> {
  // Listing withdrawals is what cancels expired tickets.
  if (draft.isExpired) await api.listWithdrawals({ query: { limit: 1 }, signal: run.signal })
  const { status, ticket } = await refreshWithdrawal(run, draft)
  const isWaiting = status === 'PENDING_REVIEW' || (draft.isExpired && ticket !== null)
  if (isWaiting || status.startsWith('APPROVED')) await rest(run)
  return true
}

async function askWallet(run: WithdrawRun, draft: WithdrawDraft): Promise<boolean> {
  const { ticket, askedAfter } = draft
  if (ticket === undefined) return false
  const { status } = await refreshWithdrawal(run, draft)
  if (!status.startsWith('APPROVED')) return true
  if (askedAfter !== undefined) {
    const hash = await findRedemption(ticket, BigInt(askedAfter))
    if (hash !== null) {
      change(run, { hash })
      return true
    }
  }
  if ((await readChainTime()) > BigInt(ticket.deadline)) {
    change(run, { isExpired: true })
    return true
  }
  if (!run.mayAsk) {
    if (askedAfter === undefined) return false
    await rest(run)
    return true
  }
  return send(run, draft)
}

async function send(run: WithdrawRun, { ticket }: WithdrawDraft): Promise<boolean> {
  if (ticket === undefined) return false
  try {
    await tryTicket(ticket)
  } catch (error) {
    const reason = error instanceof WalletError ? error.reason : null
    if (reason !== 'NonceUsed' && reason !== 'TicketExpired') throw error
    change(run, reason === 'NonceUsed' ? { isPaid: true } : { isExpired: true })
    return true
  }
  change(run, { askedAfter: (await readBlockNumber()).toString() })
  try {
    change(run, { hash: await withAskingState(run, () => redeem(ticket)) })
  } catch (error) {
    if (wasNotSent(error)) change(run, { askedAfter: undefined })
    throw error
  }
  return true
}

async function awaitMined(run: WithdrawRun, draft: WithdrawDraft): Promise<boolean> {
  const { hash, nonce, ticket, askedAfter } = draft
  if (hash === undefined || ticket === undefined) return false
  const fate = await follow(run, { hash, nonce }, async () =>
    askedAfter === undefined ? null : findRedemption(ticket, BigInt(askedAfter)),
  )
  if (fate === 'done') change(run, { isPaid: true })
  if (fate === 'reverted' || fate === 'dropped') {
    // The ticket is still valid: the next run simulates it first, to learn why it failed.
    change(run, { hash: undefined, nonce: undefined, askedAfter: undefined })
    throw new WalletError(fate === 'reverted' ? 'REVERTED' : 'DROPPED')
  }
  return true
}

/** Reports the transaction until the gateway counts enough confirmations. */
async function complete(run: WithdrawRun, draft: WithdrawDraft): Promise<boolean> {
  const { hash, withdrawalId } = draft
  if (hash === undefined || withdrawalId === undefined) {
    const { status } = await refreshWithdrawal(run, draft)
    if (status.startsWith('APPROVED')) await rest(run)
    return true
  }
  try {
    await api.completeWithdrawal({ path: { withdrawalId }, body: { txHash: hash }, signal: run.signal })
    change(run, { isCompleted: true })
    return true
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'WITHDRAWAL_TX_NOT_CONFIRMED')
      change(run, { confirmations: Number(error.detail.confirmations ?? 0) })
    else if (error.code === 'WITHDRAWAL_NOT_OPEN') await refreshWithdrawal(run, draft)
    else throw error
  }
  await rest(run)
  return true
}
