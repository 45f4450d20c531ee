import { GatewayError } from '@farebox/client/errors'
import { parseUsdc } from '@farebox/money'
import { api } from '../../../api.ts'
import type { ConsoleConfig } from '../../../console-config.ts'
import { WalletError } from '../../../wallet/errors.ts'
import { findTransaction, readChainTime } from '../../../wallet/transactions.ts'
import {
  change,
  follow,
  type Run,
  rest,
  runFlow,
  wasNotSent,
  withAskingState,
} from '../../../wallet/wallet-flow.ts'
import { findDeposit, readAllowance, sendApproval, sendDeposit, signPermit } from './deposit-chain.ts'
import { type DepositDraft, stageOf } from './deposit-draft.ts'
import { describeRejection } from './deposit-labels.ts'

/** A permit must be valid for at least this long to be used. */
const PERMIT_MARGIN_SECONDS = 120n

type DepositRun = Run<DepositDraft> & { readonly config: ConsoleConfig }

/**
 * Runs a deposit as far as possible. Returns when it is credited or has failed, when the wallet must be asked without
 * a click, on an error that is not transient, or when the run is aborted.
 */
export function runDeposit(run: DepositRun): Promise<void> {
  return runFlow(run, draft => takeStep(run, draft))
}

/** @returns whether to continue at once */
function takeStep(run: DepositRun, draft: DepositDraft): Promise<boolean> | boolean {
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

async function getPermission(run: DepositRun, draft: DepositDraft): Promise<boolean> {
  const { owner, config } = run
  const amount = parseUsdc(draft.amountUsdc)
  if ((await readAllowance(config, owner)) >= amount) {
    change(run, { isAllowed: true })
    return true
  }
  if (draft.approval?.hash !== undefined) return awaitApproval(run, draft.approval.hash)
  if (!run.mayAsk) return false
  if (draft.way === 'permit') {
    const permit = await withAskingState(run, () => signPermit(config, owner, amount))
    change(run, permit === null ? { way: 'approve' } : { permit })
    return true
  }
  change(run, { approval: {} })
  const hash = await withAskingState(run, () => sendApproval(config, amount))
  change(run, { approval: { hash } })
  return true
}

/** Only the allowance counts: it is read again each time, whatever became of the transaction. */
async function awaitApproval(run: DepositRun, hash: `0x${string}`): Promise<boolean> {
  const seen = await findTransaction({ hash, owner: run.owner, nonce: undefined })
  if (seen.kind === 'mined') {
    change(run, { approval: undefined })
    if (seen.receipt.status === 'reverted') throw new WalletError('REVERTED')
    return true
  }
  await rest(run)
  return true
}

async function send(run: DepositRun, draft: DepositDraft): Promise<boolean> {
  const { owner, config } = run
  const amount = parseUsdc(draft.amountUsdc)
  const { permit } = draft
  const isStale =
    permit !== undefined && BigInt(permit.deadline) < (await readChainTime()) + PERMIT_MARGIN_SECONDS
  if (isStale) {
    change(run, { permit: undefined })
    return true
  }
  if (draft.isAsked) {
    const hash = await findDeposit(config, { owner, amount, sinceBlock: BigInt(draft.sinceBlock) })
    if (hash !== null) {
      change(run, { hash })
      return true
    }
    if (!run.mayAsk) {
      await rest(run)
      return true
    }
  }
  if (!run.mayAsk) return false
  change(run, { isAsked: true })
  try {
    const hash = await withAskingState(run, () => sendDeposit(config, amount, permit))
    change(run, { hash })
  } catch (error) {
    if (wasNotSent(error)) change(run, { isAsked: undefined })
    throw error
  }
  return true
}

async function awaitMined(run: DepositRun, draft: DepositDraft): Promise<boolean> {
  const { owner, config } = run
  const { hash, nonce, sinceBlock } = draft
  if (hash === undefined) return false
  const fate = await follow(run, { hash, nonce }, () =>
    findDeposit(config, {
      owner,
      amount: parseUsdc(draft.amountUsdc),
      sinceBlock: BigInt(sinceBlock),
    }),
  )
  if (fate === 'done') change(run, { isMined: true })
  if (fate === 'reverted' || fate === 'dropped') {
    const why = fate === 'reverted' ? 'REVERTED' : 'DROPPED'
    change(run, { end: { why, reported: new WalletError(why).message } })
  }
  return true
}

async function awaitCredit(run: DepositRun, draft: DepositDraft): Promise<boolean> {
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
      change(run, { end: { why: 'REFUSED', reported: describeRejection(String(error.detail.reason)) } })
      return true
    }
    if (error.code === 'DEPOSIT_NOT_FOUND') change(run, { intentId: undefined })
    else if (error.code === 'DEPOSIT_NOT_CONFIRMED')
      change(run, { confirmations: Number(error.detail.confirmations ?? 0) })
    else throw error
  }
  await rest(run)
  return true
}

/** Claims the deposit, or finds the claim if there is one already, such as from another browser. */
async function claim(of: {
  hash: string
  amountUsdc: string
  key: string
  signal: AbortSignal
}): Promise<string> {
  const { hash, amountUsdc, key, signal } = of
  try {
    const body = { tx_hash: hash, amount: amountUsdc }
    // A replacement transaction needs a claim of its own.
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
