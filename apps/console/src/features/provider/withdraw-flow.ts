import { GatewayError } from '@farebox/client/errors'
import type { Address } from 'viem'
import { api } from '../../api.ts'
import { pause } from '../../ui/pause.ts'
import { WalletError } from '../../wallet/errors.ts'
import { lookFor, readBlockNumber, readChainTime } from '../../wallet/transactions.ts'
import { findRedemption, redeem, tryTicket } from './withdraw-chain.ts'
import { drafts, stageOf, type Withdrawal, type WithdrawDraft } from './withdraw-draft.ts'
import { isPassingTrouble, tellEnd, tellRefusal, WAS_NOT_SENT } from './withdraw-words.ts'

const LOOK_EVERY_MS = 1_500
/** A transaction that the chain does not know is looked for so often before it is said to be gone. */
const LOOKS_UNTIL_GONE = 4

/** What keeps a withdrawal from going on. */
export type Trouble = {
  readonly error: unknown
  /** It is tried again without anybody doing anything. */
  readonly isPassing: boolean
}

/** What a run of a withdrawal works with. */
export type Run = {
  readonly owner: Address
  readonly signal: AbortSignal
  /** Whether somebody is there who has asked for it: else the wallet is left in peace. */
  readonly mayAsk: boolean
  /** Told whenever something stands in the way, and with null when it does not any more. */
  readonly onTrouble: (trouble: Trouble | null) => void
  /** The wallet has been asked for something, and is waited for. */
  readonly onAsking: (isAsking: boolean) => void
}

/**
 * Takes the withdrawal of a wallet as far as it goes: looks at the gateway and at the chain first, so that it may be
 * called at any point of it. Returns when it is completed or has ended, when the wallet would have to be asked and
 * nobody is there, when something stands in the way for good, or when the run is called off.
 */
export async function carryOn(run: Run): Promise<void> {
  const missed = { count: 0 }
  let { mayAsk } = run
  while (!run.signal.aborted) {
    const draft = drafts.read(run.owner)
    if (draft === null) return
    // Whoever has clicked may be gone when a review is over.
    if (stageOf(draft) === 'review') mayAsk = false
    try {
      const goesOn = await takeStep({ ...run, mayAsk }, draft, missed)
      if (run.signal.aborted) return
      run.onTrouble(null)
      if (!goesOn) return
    } catch (error) {
      if (run.signal.aborted) return
      const isPassing = isPassingTrouble(error)
      run.onTrouble({ error, isPassing })
      if (!isPassing) return
      await pause(LOOK_EVERY_MS, run.signal)
    }
  }
}

/** @returns whether there is more to do at once */
function takeStep(run: Run, draft: WithdrawDraft, missed: { count: number }): Promise<boolean> | boolean {
  switch (stageOf(draft)) {
    case 'opening':
      return open(run, draft)
    case 'review':
    case 'expired':
      return lookAgain(run, draft)
    case 'redeeming':
      return askWallet(run, draft)
    case 'mining':
      return awaitMined(run, draft, missed)
    case 'confirming':
      return complete(run, draft)
    default:
      return false
  }
}

/** Writes a change down, unless somebody has put the withdrawal aside meanwhile. Undefined takes a member out. */
function change(
  run: Run,
  changes: { [Name in keyof WithdrawDraft]?: WithdrawDraft[Name] | undefined },
): void {
  const draft = drafts.read(run.owner)
  if (draft !== null) drafts.keep(run.owner, { ...draft, ...changes } as WithdrawDraft)
}

async function open(run: Run, { amountUsdc, key }: WithdrawDraft): Promise<boolean> {
  try {
    const { withdrawalId, ticket } = await api.openWithdrawal({
      body: { amountUsdc },
      idempotencyKey: key,
      signal: run.signal,
    })
    change(run, { withdrawalId, ...(ticket === null ? { isReviewed: true } : { ticket }) })
  } catch (error) {
    if (!(error instanceof GatewayError) || error.isPassing) throw error
    change(run, { end: { why: 'REFUSED', told: tellRefusal(error) } })
  }
  return true
}

/** Takes over what the gateway knows of it. */
async function readStanding(run: Run, draft: WithdrawDraft): Promise<Withdrawal> {
  const path = { withdrawalId: draft.withdrawalId ?? '' }
  const { withdrawal } = await api.readWithdrawal({ path, signal: run.signal })
  const { status, ticket, txHash, reason } = withdrawal
  if (status === 'COMPLETED')
    change(run, { isCompleted: true, ...(txHash !== null && { hash: txHash as `0x${string}` }) })
  else if (status === 'REJECTED' || status === 'CANCELLED')
    change(run, { end: { why: status, told: tellEnd(status, reason) } })
  else if (ticket !== null && draft.ticket === undefined) change(run, { ticket })
  return withdrawal
}

/** Waits for a review, or for a ticket that is past its deadline to be given back. */
async function lookAgain(run: Run, draft: WithdrawDraft): Promise<boolean> {
  // Reading the list is what cancels tickets that went stale.
  if (draft.isExpired) await api.listWithdrawals({ query: { limit: 1 }, signal: run.signal })
  const { status, ticket } = await readStanding(run, draft)
  const isWaiting = status === 'PENDING_REVIEW' || (draft.isExpired && ticket !== null)
  if (isWaiting || status.startsWith('APPROVED')) await pause(LOOK_EVERY_MS, run.signal)
  return true
}

async function askWallet(run: Run, draft: WithdrawDraft): Promise<boolean> {
  const { ticket, askedAfter } = draft
  if (ticket === undefined) return false
  const { status } = await readStanding(run, draft)
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
    await pause(LOOK_EVERY_MS, run.signal)
    return true
  }
  return send(run, draft)
}

async function send(run: Run, { ticket }: WithdrawDraft): Promise<boolean> {
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
  run.onTrouble(null)
  run.onAsking(true)
  try {
    change(run, { hash: await redeem(ticket) })
  } catch (error) {
    if (error instanceof WalletError && WAS_NOT_SENT.includes(error.problem))
      change(run, { askedAfter: undefined })
    throw error
  } finally {
    run.onAsking(false)
  }
  return true
}

async function awaitMined(run: Run, draft: WithdrawDraft, missed: { count: number }): Promise<boolean> {
  const { hash, nonce, ticket, askedAfter } = draft
  if (hash === undefined || ticket === undefined) return false
  const seen = await lookFor({ hash, owner: run.owner, nonce })
  if (seen.kind === 'mined') {
    if (seen.receipt.status === 'success') {
      change(run, { isPaid: true })
      return true
    }
    // The ticket is as good as before: why it was refused is asked before it is sent again.
    change(run, { hash: undefined, nonce: undefined, askedAfter: undefined })
    throw new WalletError('REVERTED')
  }
  if (seen.kind === 'pending') {
    missed.count = 0
    if (nonce === undefined) change(run, { nonce: seen.nonce })
  } else {
    const other = askedAfter === undefined ? null : await findRedemption(ticket, BigInt(askedAfter))
    if (other !== null && other !== hash) {
      change(run, { hash: other })
      return true
    }
    missed.count += 1
    if (missed.count >= LOOKS_UNTIL_GONE && seen.isPast) {
      change(run, { hash: undefined, nonce: undefined, askedAfter: undefined })
      throw new WalletError('DROPPED')
    }
  }
  await pause(LOOK_EVERY_MS, run.signal)
  return true
}

/** Tells the gateway of the transaction, until it has the confirmations that the gateway wants. */
async function complete(run: Run, draft: WithdrawDraft): Promise<boolean> {
  const { hash, withdrawalId } = draft
  if (hash === undefined || withdrawalId === undefined) {
    const { status } = await readStanding(run, draft)
    if (status.startsWith('APPROVED')) await pause(LOOK_EVERY_MS, run.signal)
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
    else if (error.code === 'WITHDRAWAL_NOT_OPEN') await readStanding(run, draft)
    else throw error
  }
  await pause(LOOK_EVERY_MS, run.signal)
  return true
}
