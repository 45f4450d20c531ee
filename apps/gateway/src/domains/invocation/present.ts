import { formatUsdc, ZERO } from '@farebox/money'
import type { GatewayError } from '@farebox/wire/errors'
import type { InvocationStatus } from './rules.ts'
import type { InvocationRow } from './store.ts'

/** What a receipt tells; hashes are SHA-256 in hex. */
export type Receipt = {
  readonly invocationId: string
  readonly serviceId: string
  readonly credentialId: string
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly latencyMs: number | null
  readonly attempts: number
  readonly requestHash: string
  readonly responseHash: string | null
}

/**
 * Answer of a paid call as JSON text. The provider's result is put in as the text it came as: nothing of it is
 * parsed and written again.
 *
 * @param answer.resultText JSON text of an object
 */
export function succeededBody(answer: {
  chargedUsdc: string
  receipt: Receipt & { readonly responseIssues?: unknown }
  resultText: string
}): string {
  const { chargedUsdc, receipt, resultText } = answer
  const head = JSON.stringify({
    invocationId: receipt.invocationId,
    status: 'SUCCEEDED',
    chargedUsdc,
    receipt,
  })
  return `${head.slice(0, -1)},"result":${resultText}}`
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
  const stored: unknown = row.answer === null ? null : JSON.parse(row.answer)
  const isRecord = typeof stored === 'object' && stored !== null
  const error =
    row.errorCode === null ? null : isRecord && 'detail' in stored ? stored.detail : { code: row.errorCode }
  return JSON.stringify({
    invocationId: row.id,
    status: row.status,
    chargedUsdc: formatUsdc(row.charged),
    ...money(row),
    ...(error !== null && { error }),
    receipt: receiptOf(row),
  })
}

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
  'errorCode',
  'latencyMs',
  'attempts',
  'startedAt',
  'finishedAt',
] as const

/** A line of the usage log. */
export function presentUsage(row: InvocationRow) {
  return {
    invocationId: row.id,
    serviceId: row.serviceId,
    credentialId: row.credentialId,
    idempotencyKey: row.idempotencyKey,
    status: row.status,
    chargedUsdc: formatUsdc(row.charged),
    ...money(row),
    errorCode: row.errorCode,
    latencyMs: row.latencyMs,
    attempts: row.attempts,
    startedAt: row.drawnAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}

/** What was set aside for the call, and how much of it went back. */
function money(row: InvocationRow) {
  const isOpen = row.finishedAt === null
  const released = isOpen ? ZERO : ((row.hold - row.charged) as typeof ZERO)
  return { holdUsdc: formatUsdc(row.hold), releasedUsdc: formatUsdc(released) }
}

function receiptOf(row: InvocationRow): Receipt {
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
  }
}
