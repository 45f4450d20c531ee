import { createHash } from 'node:crypto'
import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import type { ErrorBody, GatewayError } from '@farebox/wire/errors'
import type { BillingBlock, Receipt, Usage } from '@farebox/wire/invocation'
import type { EarnedCall, UsageLog } from '@farebox/wire/usage'
import { shownKey } from '../attempt-keys.ts'
import type { MeteredCall } from '../pricing/metered-store.ts'
import { type InvocationStatus, type MeteredEnd, USAGE_WINDOW_SECONDS } from '../rules.ts'
import type { InvocationRow, StoredAnswer } from './store.ts'

export type { Receipt } from '@farebox/wire/invocation'

/** Members of an invocation that make up its usage. */
type UsageRow = Pick<
  InvocationRow,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'statedTotal'
>

/** Members of an invocation that make up its receipt. */
type ReceiptRow = Pick<
  InvocationRow,
  'id' | 'credentialId' | 'serviceId' | 'requestHash' | 'drawnAt' | 'finishedAt' | 'latencyMs' | 'attempts'
> &
  UsageRow

/** Additional members of a metered call's answer; amounts in micro-USDC. */
export type MeteredBill = Pick<MeteredEnd, 'usage' | 'isCapped'> & {
  readonly hold: Usdc
  readonly charge: Usdc
  readonly preAuthMode: 'explicit' | 'auto'
}

/**
 * Returns the answer of a paid call as JSON text. The provider's result is inserted as text, without parsing.
 *
 * @param answer.resultText JSON text; `null` if the answer was streamed or is no longer stored
 * @param answer.bill       of a metered call; null for others
 * @param answer.isExpired  true if the result is no longer stored
 */
export function succeededBody(answer: {
  charge: Usdc
  receipt: Receipt & { readonly responseIssues?: unknown }
  resultText: string
  bill: MeteredBill | null
  isExpired?: boolean
}): string {
  const { charge, receipt, resultText, bill, isExpired } = answer
  const head = JSON.stringify({
    invocationId: receipt.invocationId,
    status: 'SUCCEEDED',
    chargedUsdc: formatUsdc(charge),
    ...(bill !== null && { usage: bill.usage, gateway: billingBlock(bill) }),
    ...(isExpired === true && { answerExpired: true }),
    receipt,
  })
  // `result` is last: read-answer.ts relies on it.
  return `${head.slice(0, -1)},"result":${resultText}}`
}

function billingBlock({ hold, charge, isCapped, preAuthMode }: MeteredBill): BillingBlock {
  return {
    priceModel: 'token_metered',
    holdUsdc: formatUsdc(hold),
    chargedUsdc: formatUsdc(charge),
    releasedUsdc: formatUsdc(usdc(hold - charge)),
    preAuthMode,
    ...(isCapped && { capped: true }),
  }
}

/** Returns the answer of a call that failed after its hold: the error body with the final state. */
export function failedAnswer(failed: {
  error: GatewayError
  status: InvocationStatus
  requestId: string
}): StoredAnswer {
  const { error, status, requestId } = failed
  const body = error.toBody(requestId)
  return { httpStatus: error.status, body: JSON.stringify({ ...body, detail: { ...body.detail, status } }) }
}

/**
 * Returns an invocation as JSON text for GET /agent/invocations/:id: the stored answer of a successful one, unparsed,
 * so that numbers keep every digit; otherwise status and reason.
 */
export function presentInvocation(row: InvocationRow & { readonly answer: string | null }): string {
  if (row.status === 'SUCCEEDED' && row.answer !== null) {
    return `${row.answer.slice(0, -1)},${JSON.stringify(money(row)).slice(1)}`
  }
  const error = errorOf(row)
  return JSON.stringify({
    invocationId: row.id,
    status: row.status,
    chargedUsdc: formatUsdc(row.charged),
    ...money(row),
    ...(error !== null && { error }),
    receipt: receiptOf(row),
  })
}

function errorOf({
  errorCode,
  answer,
  processingReason,
}: InvocationRow & { answer: string | null }): unknown {
  if (errorCode === null) return null
  const stored: unknown = answer === null ? null : JSON.parse(answer)
  if (isErrorBody(stored)) return { ...stored.detail, requestId: stored.requestId }
  return { code: errorCode, ...(processingReason !== null && { reason: processingReason }) }
}

/** Returns the stored body of a failed call; see {@link failedAnswer}. */
const isErrorBody = (stored: unknown): stored is ErrorBody =>
  typeof stored === 'object' && stored !== null && 'detail' in stored

/** Columns of the usage log as CSV. */
export const USAGE_COLUMNS = [
  'invocationId',
  'serviceId',
  'credentialId',
  'idempotencyKey',
  'status',
  'chargedUsdc',
  'holdUsdc',
  'releasedUsdc',
  'inputTokens',
  'outputTokens',
  'errorCode',
  'latencyMs',
  'attempts',
  'startedAt',
  'finishedAt',
  // New columns go last: columns may be read by position.
  'cacheReadTokens',
  'cacheWriteTokens',
] as const

/** Returns an entry of the usage log. */
export function presentUsage(row: InvocationRow): UsageLog {
  const usage = usageOf(row)
  return {
    invocationId: row.id,
    serviceId: row.serviceId,
    credentialId: row.credentialId,
    idempotencyKey: shownKey(row.idempotencyKey),
    status: row.status,
    chargedUsdc: formatUsdc(row.charged),
    ...money(row),
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    cacheReadTokens: usage?.cacheReadTokens ?? null,
    cacheWriteTokens: usage?.cacheWriteTokens ?? null,
    errorCode: row.errorCode,
    latencyMs: row.latencyMs,
    attempts: row.attempts,
    startedAt: row.drawnAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}

/** Returns a call as shown to its provider: earnings and pending usage, nothing about the caller. */
export function presentEarned(row: InvocationRow): EarnedCall {
  const { credentialId: _, idempotencyKey: __, ...call } = presentUsage(row)
  const {
    inputTokens: _in,
    outputTokens: _out,
    cacheReadTokens: _read,
    cacheWriteTokens: _write,
    ...rest
  } = call
  return {
    ...rest,
    feeUsdc: formatUsdc(row.fee),
    usage: usageOf(row),
    processingReason: row.processingSince === null ? null : row.processingReason,
    reportUsageBy:
      row.processingSince === null
        ? null
        : new Date(row.processingSince.getTime() + USAGE_WINDOW_SECONDS * 1_000).toISOString(),
  }
}

/** Returns the held and the released amount of a call. */
function money(row: InvocationRow) {
  const isOpen = row.finishedAt === null
  const released = isOpen ? ZERO : usdc(row.hold - row.charged)
  return { holdUsdc: formatUsdc(row.hold), releasedUsdc: formatUsdc(released) }
}

/** Returns the receipt of a call whose usage came after its answer. */
export function pendingReceipt(call: MeteredCall, finishedAt: Date, usage: Usage): Receipt {
  const { invocationId, serviceId, credentialId, latencyMs, attempts, pendingResult } = call
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  return {
    invocationId,
    serviceId,
    credentialId,
    startedAt: call.drawnAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    latencyMs,
    attempts,
    requestHash: call.requestHash.toString('hex'),
    responseHash: pendingResult === null || call.isStreamed ? null : hash(pendingResult),
    usage,
  }
}

/** Returns the receipt from the permanent record; it lacks the hash of the answer. */
export function receiptOf(row: ReceiptRow): Receipt {
  const usage = usageOf(row)
  return {
    invocationId: row.id,
    serviceId: row.serviceId,
    credentialId: row.credentialId,
    startedAt: row.drawnAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    latencyMs: row.latencyMs,
    attempts: row.attempts,
    requestHash: row.requestHash.toString('hex'),
    responseHash: null,
    ...(usage !== null && { usage }),
  }
}

/** Returns the usage of a metered call; null for others, and while it is unknown. */
export function usageOf(row: UsageRow): Usage | null {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, statedTotal } = row
  if (inputTokens === null || outputTokens === null) return null
  return {
    inputTokens: Number(inputTokens),
    outputTokens: Number(outputTokens),
    totalTokens: Number(inputTokens + outputTokens),
    cacheReadTokens: Number(cacheReadTokens ?? 0n),
    cacheWriteTokens: Number(cacheWriteTokens ?? 0n),
    ...(statedTotal !== null && { statedTotalTokens: Number(statedTotal) }),
  }
}
