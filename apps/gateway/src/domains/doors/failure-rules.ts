import type { ErrorBody, ErrorCode, ErrorContext, GatewayError } from '@farebox/wire/errors'

/** What went wrong with a request, before an API's own shape is put on it. */
export type Failure = {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  /** Machine-readable, without code and message. */
  readonly context: ErrorContext
}

/** A failure as an API's client is told it: our own, or what the provider said of the caller's request. */
export type Told = {
  readonly status: number
  readonly message: string
  /** The provider's own error object, when it is the provider who speaks. */
  readonly own: Readonly<Record<string, unknown>> | null
}

/**
 * Provider statuses that are about the caller's request and his pace, so that he is told them as if he had called
 * the provider himself: bad request, too large, unprocessable, too fast, overloaded. All others (credentials,
 * payment, paths of the provider) are between the provider and whoever runs him: those stay 502.
 */
const RELAYED_STATUSES: ReadonlySet<number> = new Set([400, 413, 422, 429, 529])
/** Those of them after which the same request may be sent again. */
const RELAYED_PASSING: ReadonlySet<number> = new Set([429, 529])
/** Longest piece of a provider's plain text that becomes part of a message. */
const QUOTED_LENGTH_MAX = 500

/** A failure that was thrown or returned. */
export function failureOf({ status, code, message, context }: GatewayError): Failure {
  return { status, code, message, context }
}

/** The failure in a stored answer with an error status. */
export function failureOfAnswer(answer: { httpStatus: number; body: string }): Failure {
  const { code, message, detail } = JSON.parse(answer.body) as ErrorBody
  const { code: _code, message: _message, ...context } = detail
  return { status: answer.httpStatus, code, message, context }
}

/** Status and words in which the caller is told of a failure. */
export function tell(failure: Failure): Told {
  const { status, message, context } = failure
  const { upstreamStatus, upstreamBody } = context
  if (failure.code === 'LLM_AUTO_HOLD_LIMIT_EXCEEDED') {
    const { affordableMaxTokens, requiredHoldUsdc, maxAutoHoldUsdc } = context
    const most = typeof affordableMaxTokens === 'number' ? ` (at most ${affordableMaxTokens})` : ''
    const next = affordableMaxTokens === 0 ? 'Shorten the prompt' : `Ask for fewer output tokens${most}`
    const amounts = requiredHoldUsdc === undefined ? '' : ` (${requiredHoldUsdc} of ${maxAutoHoldUsdc} USDC)`
    const advice = `The automatic hold exceeds the cap of the service${amounts}. ${next}.`
    return { status, message: advice, own: null }
  }
  if (failure.code !== 'UPSTREAM_ERROR' || typeof upstreamStatus !== 'number') {
    const { reason } = context
    const why = failure.code === 'UPSTREAM_ERROR' && typeof reason === 'string' ? ` (${reason})` : ''
    return { status, message: message.replace(BODY_PATH, '') + why, own: null }
  }
  const own = typeof upstreamBody === 'string' ? errorIn(upstreamBody) : null
  const said = own?.message ?? (typeof upstreamBody === 'string' ? upstreamBody : '')
  const words = String(said).slice(0, QUOTED_LENGTH_MAX).trim()
  const isRelayed = RELAYED_STATUSES.has(upstreamStatus)
  return {
    status: isRelayed ? upstreamStatus : status,
    message: `The provider answered ${upstreamStatus}${words === '' ? '.' : `: ${words}`}`,
    own: isRelayed ? own : null,
  }
}

/** The error object of a provider's error body in either API's shape; null when there is none. */
function errorIn(upstreamBody: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(upstreamBody)
    if (typeof body !== 'object' || body === null || !('error' in body)) return null
    const { error } = body
    return typeof error === 'object' && error !== null ? { ...error } : null
  } catch {
    // Not JSON, or cut in the middle: it is quoted as text.
    return null
  }
}

/**
 * Whether a client must not send the request again by itself, which the SDKs do on 408, 409, 429 and every 5xx.
 * Nothing failed is charged, so most may; not so a call that may still be charged, and not in vain.
 *
 * @param hasKey the request carried an idempotency key: its failure is what every retry would be answered
 */
export function isRetryBarred(failure: Failure, hasKey: boolean): boolean {
  const { status, code, context } = failure
  if (status === 409 || code === 'LOOP_DETECTED' || context.status === 'PROCESSING') return true
  const isStored = context.status === 'FAILED_RETRYABLE' || context.status === 'FAILED_FINAL'
  if (isStored && hasKey) return true
  const isPassing = code === 'UPSTREAM_ERROR' && RELAYED_PASSING.has(Number(context.upstreamStatus))
  return context.status === 'FAILED_FINAL' && !isPassing
}

/** What clients look for in the headers of a failure in every API's shape, beside `Retry-After`. */
export function failureHeaders(failure: Failure, hasKey: boolean): Record<string, string> {
  const { invocationId } = failure.context
  return {
    ...(typeof invocationId === 'string' && { 'farebox-invocation-id': invocationId }),
    ...(isRetryBarred(failure, hasKey) && { 'x-should-retry': 'false' }),
  }
}

/** Where the members of a model request are in a call, as its issues tell it. */
const BODY_PATH = /^(?:payload\.)?(?:body\.)?/

/** The member of the request that a failure is about, as its sender knows it; null when it is about none. */
export function parameterOf({ context }: Failure): string | null {
  const { issues } = context
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined
  if (typeof first !== 'object' || first === null || !('path' in first)) return null
  const path = String(first.path).replace(BODY_PATH, '')
  return path === '' ? null : path
}

/** The gateway's own account of a failure, for clients that know it: a member `farebox` of the error object. */
export function accountOf(failure: Failure, requestId: string): Readonly<Record<string, unknown>> {
  return { code: failure.code, requestId, ...failure.context }
}
