import type { Failure } from '../failure-rules.ts'

/** Maximum length of a name in `Farebox-Attempts`: no service has a longer one. */
const TOLD_NAME_LENGTH_MAX = 64
/** A token of a structured field (RFC 9651, 3.3.4), and of its parameters. */
const NOT_IN_TOKEN = /[^A-Za-z0-9:/!#$%&'*+.^_`|~-]/g

/** A model that did not answer a request, and why. */
export type Attempt = { readonly model: string; readonly failure: Failure }

/** Refusals that concern only one model. Nothing is held for them. */
const REFUSED_HERE: ReadonlySet<string> = new Set([
  'SERVICE_NOT_FOUND',
  'BUDGET_EXHAUSTED',
  'INSUFFICIENT_BALANCE',
])
/** Statuses of a provider after which another may be tried: Request Timeout and Too Many Requests. */
const PASSING: ReadonlySet<unknown> = new Set([408, 429])
/** Failures of a successful answer that had begun. */
const BEGUN: ReadonlySet<unknown> = new Set(['too_large', 'invalid_json', 'stream_cut', 'usage_missing'])

/**
 * Returns true if the next model of a request may be tried: nothing usable came before the first byte, and the failed
 * attempt can never be charged.
 *
 * @param isKnown the failure is that of an earlier request with the same idempotency key
 */
export function isNextTried({ code, context }: Failure, isKnown: boolean): boolean {
  if (context.status === 'PROCESSING') return false
  if (REFUSED_HERE.has(code)) return true
  // A stopping gateway tries nothing more; a retry of the request does.
  if (code === 'GATEWAY_INTERRUPTED') return isKnown
  if (code !== 'UPSTREAM_ERROR') return false
  const { reason, upstreamStatus } = context
  if (reason !== 'status') return !BEGUN.has(reason)
  const status = Number(upstreamStatus)
  return status < 400 || status >= 500 || PASSING.has(status)
}

/**
 * Returns `Farebox-Attempts`: the models that did not answer, in order, as a list (RFC 9651, 3.1) of names with the
 * parameters `reason`, `status` (the provider's) and `invocation`.
 */
export function attemptsText(attempts: readonly Attempt[]): string {
  return attempts.map(attemptText).join(', ')
}

function attemptText({ model, failure }: Attempt): string {
  const { code, context } = failure
  const { reason, upstreamStatus, invocationId } = context
  const why = code === 'UPSTREAM_ERROR' && typeof reason === 'string' ? reason : code.toLowerCase()
  const parameters = { reason: why, status: upstreamStatus, invocation: invocationId }
  const reported = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`;${name}=${tokenOf(String(value))}`],
  )
  return tokenOf(model) + reported.join('')
}

/** A token begins with a letter, except that a number is one by itself. */
function tokenOf(text: string): string {
  const reported = text.slice(0, TOLD_NAME_LENGTH_MAX).replaceAll(NOT_IN_TOKEN, '_')
  return /^(?:[A-Za-z*]|\d{1,15}$)/.test(reported) ? reported : `*${reported}`
}
