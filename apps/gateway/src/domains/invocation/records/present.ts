import { createHash } from 'node:crypto'
import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import type { ErrorBody, GatewayError } from '@farebox/wire/errors'
import type { BillingBlock, Receipt, Usage } from '@farebox/wire/invocation'
import type { EarnedCall, UsageLog } from '@farebox/wire/usage'
import type { MeteredCall } from '../pricing/metered-store.ts'
import { type InvocationStatus, type MeteredEnd, USAGE_WINDOW_SECONDS } from '../rules.ts'
import type { InvocationRow } from './store.ts'

export type { Receipt } from '@farebox/wire/invocation'

/** What of an invocation its usage is made of. */
type UsageRow = Pick<
  InvocationRow,
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'statedTotal'
>

/** What of an invocation its receipt is made of. */
type ReceiptRow = Pick<
  InvocationRow,
  'id' | 'credentialId' | 'serviceId' | 'requestHash' | 'drawnAt' | 'finishedAt' | 'latencyMs' | 'attempts'
> &
  UsageRow

/** What a metered call adds to its answer; amounts in micro-USDC. */
export type MeteredBill = Pick<MeteredEnd, 'usage' | 'isCapped'> & {
  readonly hold: Usdc
  readonly charge: Usdc
  readonly preAuthMode: 'explicit' | 'auto'
}

/**
 * Answer of a paid call as JSON text. The provider's result is put in as the text it came as: nothing of it is
 * parsed and written again.
 *
 * @param answer.resultText JSON text; `null` when the answer was streamed, or is kept no longer
 * @param answer.bill       of a metered call; null for any other
 * @param answer.isExpired  the answer is all that is left of one that is kept no longer
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
  // `result` stands last: read-answer.ts relies on it.
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

/** Answer of a call that failed after its hold: the wire's error body, with the state it left the call in. */
export function failedBody(answer: {
  error: GatewayError
  status: InvocationStatus
  requestId: string
}): string {
  const { error, status, requestId } = answer
  const body = error.toBody(requestId)
  return JSON.stringify({ ...body, detail: { ...body.detail, status } })
}

/**
 * An invocation as GET /agent/invocations/:id tells it, as JSON text: a successful one is its stored answer again,
 * which is not parsed for that, so that the provider's numbers are told to the last digit; any other says where it
 * stands and why.
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

/** The body of a failed call as it was sent; see {@link failedBody}. */
const isErrorBody = (stored: unknown): stored is ErrorBody =>
  typeof stored === 'object' && stored !== null && 'detail' in stored

/** Members of a line of the usage log, in the order of its CSV. */
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
  // Later ones come last: columns that are read by their place stay where they are.
  'cacheReadTokens',
  'cacheWriteTokens',
] as const

/** A line of the usage log. */
export function presentUsage(row: InvocationRow): UsageLog {
  const usage = usageOf(row)
  return {
    invocationId: row.id,
    serviceId: row.serviceId,
    credentialId: row.credentialId,
    idempotencyKey: row.idempotencyKey,
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

/** A call as its provider may see it: what was earned, and whether usage is awaited; nothing of who called. */
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

/** What was set aside for the call, and how much of it went back. */
function money(row: InvocationRow) {
  const isOpen = row.finishedAt === null
  const released = isOpen ? ZERO : usdc(row.hold - row.charged)
  return { holdUsdc: formatUsdc(row.hold), releasedUsdc: formatUsdc(released) }
}

/** Receipt of a call whose usage came after its answer. */
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

/** Receipt of a call by what is kept of it for ever: the answer, and with it the hash of the answer, is not. */
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

/** Usage of a metered call; null for any other, and as long as it is not known. */
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
