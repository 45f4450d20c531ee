import { GatewayError } from '@farebox/client/errors'
import { parseUsdc } from '@farebox/money'
import type { Address } from 'viem'
import { api } from '../../api.ts'
import type { ConsoleConfig } from '../../console-config.ts'
import { pause } from '../../ui/pause.ts'
import { WalletError, type WalletProblem } from '../../wallet/errors.ts'
import { lookFor, readChainTime } from '../../wallet/transactions.ts'
import { findDeposit, readAllowance, sendApproval, sendDeposit, signPermit } from './deposit-chain.ts'
import { type DepositDraft, keepDraft, readDraft, stageOf } from './deposit-draft.ts'
import { tellRejection } from './deposit-words.ts'

const LOOK_EVERY_MS = 1_500
/** A transaction that the chain does not know is looked for so often before it is said to be gone. */
const LOOKS_UNTIL_GONE = 4
/** A permit must be good for so much longer to be used. */
const PERMIT_MARGIN_SECONDS = 120n

/** What keeps a deposit from going on. */
export type Trouble = {
  readonly error: unknown
  /** It is tried again without anybody doing anything. */
  readonly isPassing: boolean
}

/** What a run of a deposit works with. */
export type Run = {
  readonly owner: Address
  readonly config: ConsoleConfig
  readonly signal: AbortSignal
  /** Whether somebody is there who has asked for it: else the wallet is left in peace. */
  readonly mayAsk: boolean
  /** Told whenever something stands in the way, and with null when it does not any more. */
  readonly onTrouble: (trouble: Trouble | null) => void
  /** The wallet has been asked for something, and is waited for. */
  readonly onAsking: (isAsking: boolean) => void
}

/** Sent by no wallet that gives one of these answers. */
const NOT_SENT: readonly WalletProblem[] = [
  ...(['REJECTED', 'BUSY', 'WRONG_CHAIN', 'OTHER_ACCOUNT', 'NO_WALLET', 'NO_GAS', 'REVERTED'] as const),
]

/**
 * Takes the deposit of a wallet as far as it goes: looks at the chain and at the gateway first, so that it may be
 * called at any point of it. Returns when the deposit is credited or has ended, when the wallet would have to be asked
 * and nobody is there, when something stands in the way for good, or when the run is called off.
 */
export async function carryOn(run: Run): Promise<void> {
  while (!run.signal.aborted) {
    const draft = readDraft(run.owner)
    if (draft === null) return
    try {
      const goesOn = await takeStep(run, draft)
      if (run.signal.aborted) return
      run.onTrouble(null)
      if (!goesOn) return
    } catch (error) {
      if (run.signal.aborted) return
      const isPassing = isPassingError(error)
      run.onTrouble({ error, isPassing })
      if (!isPassing) return
      await pause(LOOK_EVERY_MS, run.signal)
    }
  }
}

function isPassingError(error: unknown): boolean {
  if (error instanceof GatewayError) return error.isPassing
  if (error instanceof UnknownTransactionError) return true
  return error instanceof WalletError && error.problem === 'CHAIN_UNREACHABLE'
}

/** @returns whether there is more to do at once */
function takeStep(run: Run, draft: DepositDraft): Promise<boolean> | boolean {
  switch (stageOf(draft)) {
    case 'permission':
      return getPermission(run, draft)
    case 'sending':
      return send(run, draft)
    case 'mining':
      return awaitMined(run, draft)
    case 'crediting':
      return awaitCredit(run, draft)
    default:
      return false
  }
}

/** Writes a change down, unless somebody has called the deposit off meanwhile. */
function change(run: Run, changes: Partial<DepositDraft>): void {
  const draft = readDraft(run.owner)
  if (draft !== null) keepDraft(run.owner, { ...draft, ...changes })
}

function forget(run: Run, ...names: (keyof DepositDraft)[]): void {
  const draft = readDraft(run.owner)
  if (draft === null) return
  keepDraft(
    run.owner,
    Object.fromEntries(
      Object.entries(draft).filter(([name]) => !names.includes(name as never)),
    ) as DepositDraft,
  )
}

async function getPermission(run: Run, draft: DepositDraft): Promise<boolean> {
  const { owner, config } = run
  const amount = parseUsdc(draft.amountUsdc)
  if ((await readAllowance(config, owner)) >= amount) {
    change(run, { isAllowed: true })
    return true
  }
  if (draft.approval?.hash !== undefined) return awaitApproval(run, draft.approval.hash)
  if (!run.mayAsk) return false
  if (draft.way === 'permit') {
    const permit = await asking(run, () => signPermit(config, owner, amount))
    change(run, permit === null ? { way: 'approve' } : { permit })
    return true
  }
  change(run, { approval: {} })
  const hash = await asking(run, () => sendApproval(config, amount))
  change(run, { approval: { hash } })
  return true
}

/** The allowance is what counts: it is read again each time, whatever became of the transaction. */
async function awaitApproval(run: Run, hash: `0x${string}`): Promise<boolean> {
  const seen = await lookFor({ hash, owner: run.owner, nonce: undefined })
  if (seen.kind === 'mined') {
    forget(run, 'approval')
    if (seen.receipt.status === 'reverted') throw new WalletError('REVERTED')
    return true
  }
  await pause(LOOK_EVERY_MS, run.signal)
  return true
}

async function send(run: Run, draft: DepositDraft): Promise<boolean> {
  const { owner, config } = run
  const amount = parseUsdc(draft.amountUsdc)
  const { permit } = draft
  const isStale =
    permit !== undefined && BigInt(permit.deadline) < (await readChainTime()) + PERMIT_MARGIN_SECONDS
  if (isStale) {
    forget(run, 'permit')
    return true
  }
  if (draft.isAsked) {
    const hash = await findDeposit(config, { owner, amount, sinceBlock: BigInt(draft.sinceBlock) })
    if (hash !== null) {
      change(run, { hash })
      return true
    }
    if (!run.mayAsk) {
      await pause(LOOK_EVERY_MS, run.signal)
      return true
    }
  }
  if (!run.mayAsk) return false
  change(run, { isAsked: true })
  try {
    const hash = await asking(run, () => sendDeposit(config, amount, permit))
    change(run, { hash })
  } catch (error) {
    if (error instanceof WalletError && NOT_SENT.includes(error.problem)) forget(run, 'isAsked')
    throw error
  }
  return true
}

/** How often in a row each transaction was not found. */
const missed = new Map<string, number>()

async function awaitMined(run: Run, draft: DepositDraft): Promise<boolean> {
  const { owner } = run
  const { hash, nonce } = draft
  if (hash === undefined) return false
  const seen = await lookFor({ hash, owner, nonce })
  if (seen.kind === 'mined') {
    if (seen.receipt.status === 'reverted')
      change(run, { end: { why: 'REVERTED', told: new WalletError('REVERTED').message } })
    else change(run, { isMined: true })
    return true
  }
  if (seen.kind === 'pending') {
    missed.delete(hash)
    if (nonce === undefined) change(run, { nonce: seen.nonce })
  } else if (await isSpedUp(run, draft)) return true
  else {
    const count = (missed.get(hash) ?? 0) + 1
    missed.set(hash, count)
    if (count >= LOOKS_UNTIL_GONE && seen.isPast) {
      change(run, { end: { why: 'DROPPED', told: new WalletError('DROPPED').message } })
      return true
    }
    if (count >= LOOKS_UNTIL_GONE) throw new UnknownTransactionError()
  }
  await pause(LOOK_EVERY_MS, run.signal)
  return true
}

/** Whether the wallet has sent the same deposit with another fee: then that one is followed. */
async function isSpedUp(run: Run, draft: DepositDraft): Promise<boolean> {
  const hash = await findDeposit(run.config, {
    owner: run.owner,
    amount: parseUsdc(draft.amountUsdc),
    sinceBlock: BigInt(draft.sinceBlock),
  })
  if (hash === null || hash === draft.hash) return false
  change(run, { hash })
  return true
}

/** The chain does not know a transaction, and has nothing in its place. */
export class UnknownTransactionError extends Error {
  override readonly name = 'UnknownTransactionError'
  override readonly message =
    'The chain does not know this transaction. It may be on its way, or your wallet may have given it up: look there.'
}

async function awaitCredit(run: Run, draft: DepositDraft): Promise<boolean> {
  const { hash, amountUsdc, key } = draft
  if (hash === undefined) return false
  const { signal } = run
  const id = draft.intentId ?? (await claim({ hash, amountUsdc, key, signal }))
  if (draft.intentId === undefined) change(run, { intentId: id })
  try {
    const { intent } = await api.confirmDeposit({ path: { id }, body: {}, signal })
    change(run, { isCredited: true, confirmations: intent.confirmations, amountUsdc: intent.amountUsdc })
    return true
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'DEPOSIT_REJECTED') {
      change(run, { end: { why: 'REFUSED', told: tellRejection(String(error.detail.reason)) } })
      return true
    }
    if (error.code === 'DEPOSIT_NOT_FOUND') forget(run, 'intentId')
    else if (error.code === 'DEPOSIT_NOT_CONFIRMED')
      change(run, { confirmations: Number(error.detail.confirmations ?? 0) })
    else throw error
  }
  await pause(LOOK_EVERY_MS, signal)
  return true
}

/** Claims the deposit; one that is claimed already, from another browser say, is looked up. */
async function claim(of: {
  hash: string
  amountUsdc: string
  key: string
  signal: AbortSignal
}): Promise<string> {
  const { hash, amountUsdc, key, signal } = of
  try {
    const body = { tx_hash: hash, amount: amountUsdc }
    // A transaction that took the place of another is another claim.
    const { intent } = await api.openDeposit({ body, idempotencyKey: `${key}:${hash}`, signal })
    return intent.id
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'DUPLICATE_TX_HASH')) throw error
    const { deposits } = await api.listDeposits({ query: { limit: 100 }, signal })
    const known = deposits.find(deposit => deposit.txHash === hash.toLowerCase())
    if (known === undefined) throw error
    return known.id
  }
}

async function asking<Value>(run: Run, ask: () => Promise<Value>): Promise<Value> {
  run.onTrouble(null)
  run.onAsking(true)
  try {
    return await ask()
  } finally {
    run.onAsking(false)
  }
}
