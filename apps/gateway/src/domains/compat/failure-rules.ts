import type { ErrorBody, ErrorCode, ErrorContext, GatewayError } from '@farebox/wire/errors'

/** A failure of a request, independent of any API's format. */
export type Failure = {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  /** Machine-readable, without code and message. */
  readonly context: ErrorContext
}

/** A failure as reported to the client of an API: the gateway's own, or the provider's error about the request. */
export type DescribedFailure = {
  readonly status: number
  readonly message: string
  /** The provider's error object, if the provider reported the failure. */
  readonly own: Readonly<Record<string, unknown>> | null
}

/**
 * Statuses of a provider that concern the caller's request or rate, and are therefore relayed: bad request, too large,
 * unprocessable, too fast, overloaded. All others (credentials, payment, paths of the provider) concern only its owner
 * and become 502.
 */
const RELAYED_STATUSES: ReadonlySet<number> = new Set([400, 413, 422, 429, 529])
/** Relayed statuses after which the same request may be retried. */
const RELAYED_PASSING: ReadonlySet<number> = new Set([429, 529])
/** Maximum length of a provider's plain text in a message. */
const QUOTED_LENGTH_MAX = 500

/** Returns the failure for an error. */
export function failureOf({ status, code, message, context }: GatewayError): Failure {
  return { status, code, message, context }
}

/** Returns the failure in a stored answer with an error status. */
export function failureOfAnswer(answer: { httpStatus: number; body: string }): Failure {
  const { code, message, detail } = JSON.parse(answer.body) as ErrorBody
  const { code: _code, message: _message, ...context } = detail
  return { status: answer.httpStatus, code, message, context }
}

/** Returns status and message of a failure for the caller. */
export function describeFailure(failure: Failure): DescribedFailure {
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
    return { status, message: message.replace(BODY_PATH, ''), own: null }
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

/** Returns the error object of a provider's error body, in the format of either API; null if there is none. */
function errorIn(upstreamBody: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(upstreamBody)
    if (typeof body !== 'object' || body === null || !('error' in body)) return null
    const { error } = body
    return typeof error === 'object' && error !== null ? { ...error } : null
  } catch {
    // Not JSON, or truncated: quoted as text.
    return null
  }
}

/**
 * Returns true if clients must not retry the request automatically, as the SDKs do for 408, 409, 429 and every 5xx.
 * Failed calls are not charged, so most may be retried, except calls that may still be charged and retries that cannot
 * succeed.
 *
 * @param hasKey true if the request had an idempotency key, so that retries get the same stored failure
 */
export function isRetryBarred(failure: Failure, hasKey: boolean): boolean {
  const { status, code, context } = failure
  if (status === 409 || code === 'LOOP_DETECTED' || context.status === 'PROCESSING') return true
  const isStored = context.status === 'FAILED_RETRYABLE' || context.status === 'FAILED_FINAL'
  if (isStored && hasKey) return true
  const isPassing = code === 'UPSTREAM_ERROR' && RELAYED_PASSING.has(Number(context.upstreamStatus))
  return context.status === 'FAILED_FINAL' && !isPassing
}

/** Returns the headers of a failure that clients of all APIs may read, besides `Retry-After`. */
export function failureHeaders(failure: Failure, hasKey: boolean): Record<string, string> {
  const { invocationId } = failure.context
  return {
    ...(typeof invocationId === 'string' && { 'farebox-invocation-id': invocationId }),
    ...(isRetryBarred(failure, hasKey) && { 'x-should-retry': 'false' }),
  }
}

/** Prefix that issues add to the path of a member of a model request. */
const BODY_PATH = /^(?:payload\.)?(?:body\.)?/

/** Returns the member of the request that a failure concerns, as named by the caller; null if none. */
export function parameterOf({ context }: Failure): string | null {
  const { issues } = context
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined
  if (typeof first !== 'object' || first === null || !('path' in first)) return null
  const path = String(first.path).replace(BODY_PATH, '')
  return path === '' ? null : path
}

/** Returns the gateway's details of a failure, for the `farebox` member of the error object. */
export function accountOf(failure: Failure, requestId: string): Readonly<Record<string, unknown>> {
  return { code: failure.code, requestId, ...failure.context }
}
