import { formatUsdc, mulDivFloor, type Usdc, usdc, ZERO } from '@farebox/money'
import { isDeeperThan, JSON_DEPTH_MAX } from '@farebox/wire/common'
import { type ErrorContext, GatewayError } from '@farebox/wire/errors'

const BASIS_POINTS = 10_000n
/** Longest piece of a provider's error answer that is told to the caller, in bytes. */
const UPSTREAM_BODY_BYTES_MAX = 2_048

/** States of an invocation; see {@link NEXT}. */
export type InvocationStatus = 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'

/** Price and service of a call. Amounts in micro-USDC. */
export type Quote = {
  readonly serviceId: string
  readonly provider: string
  readonly hold: Usdc
}

/** The states of an invocation and what each may become. Terminal states become nothing. */
export const NEXT: Readonly<Record<InvocationStatus, readonly InvocationStatus[]>> = {
  PENDING: ['PROCESSING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL'],
  PROCESSING: ['SUCCEEDED', 'FAILED_FINAL'],
  SUCCEEDED: [],
  FAILED_RETRYABLE: [],
  FAILED_FINAL: [],
}

/** Whether an invocation in `from` may become `to`. */
export const canBecome = (from: InvocationStatus, to: InvocationStatus): boolean => NEXT[from].includes(to)

/** Whether nothing can happen to the invocation any more. */
export const isTerminal = (status: InvocationStatus): boolean => NEXT[status].length === 0

/** How a call ends: everything its settlement writes. Amounts in micro-USDC. */
export type Settlement = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  readonly provider: string
  readonly hold: Usdc
  readonly drawnAt: Date
  readonly status: 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
  readonly charge: Usdc
  readonly fee: Usdc
  readonly errorCode: string | null
  readonly latencyMs: number | null
  readonly attempts: number
  /** The answer as it is sent now and at every replay. */
  readonly answer: { readonly httpStatus: number; readonly body: string }
}

/** What a service offers to a caller, as far as a quote needs it. */
export type Offer = {
  readonly id: string
  readonly provider: string
  readonly agentToolName: string
  readonly price: Usdc
}

/** What a caller asks a quote for. */
export type Ask = {
  /** Id or any agentToolName of the service, as the caller has it. Names are never given away again. */
  readonly reference: string
  /** The caller's `costUsdc`, micro-USDC; null when absent. */
  readonly asserted: Usdc | null
  /** Ids and names of the services that the credential may call; null: all. */
  readonly allowed: ReadonlySet<string> | null
}

/**
 * Quotes a fixed-price call: the caller must assert the live price to the micro.
 *
 * @throws GatewayError PRICE_MISMATCH, SERVICE_NOT_ALLOWED
 */
export function quoteFixed(offer: Offer, { reference, asserted, allowed }: Ask): Quote {
  const names = [offer.id, offer.agentToolName, reference]
  if (allowed !== null && !names.some(name => allowed.has(name))) {
    throw new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: offer.id })
  }
  if (asserted !== offer.price) {
    throw new GatewayError('PRICE_MISMATCH', {
      expectedPriceUsdc: asserted === null ? null : formatUsdc(asserted),
      currentPriceUsdc: formatUsdc(offer.price),
    })
  }
  return { serviceId: offer.id, provider: offer.provider, hold: offer.price }
}

/** The platform's part of a charge, rounded down. */
export function feeOf(charge: Usdc, feeBasisPoints: number): Usdc {
  return usdc(mulDivFloor(charge, BigInt(feeBasisPoints), BASIS_POINTS))
}

/** Why a call to a provider gave nothing to charge for. */
export type CallFailure = {
  readonly status: 'FAILED_RETRYABLE' | 'FAILED_FINAL'
  readonly error: GatewayError
}

/** Provider failures after which the same request may be sent again: nothing useful has happened there. */
const RETRYABLE_REASONS: ReadonlySet<string> = new Set(['connect', 'blocked_address', 'no_healthy_target'])

/**
 * Reads a failure of the way to the provider as the state it leaves the invocation in: retryable when nothing
 * reached the provider or no head of an answer came back, final otherwise.
 */
export function failureOnTheWay(
  failure: { reason: string; answered: boolean },
  context: ErrorContext,
): CallFailure {
  const isRetryable = RETRYABLE_REASONS.has(failure.reason) || !failure.answered
  return {
    status: isRetryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL',
    error: new GatewayError('UPSTREAM_ERROR', { reason: failure.reason, ...context }),
  }
}

/** Reads an answer with a status other than 2xx: a 5xx is retryable, anything else final. */
export function failureByStatus(
  response: { status: number; body: Buffer },
  context: ErrorContext,
): CallFailure {
  return {
    status: response.status >= 500 ? 'FAILED_RETRYABLE' : 'FAILED_FINAL',
    error: new GatewayError('UPSTREAM_ERROR', {
      reason: 'status',
      upstreamStatus: response.status,
      upstreamBody: response.body.subarray(0, UPSTREAM_BODY_BYTES_MAX).toString('utf8'),
      ...context,
    }),
  }
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i
const TEXT_TYPE =
  /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded)\b|[\w.+-]+\/[\w.+-]+\+xml\b)/i

/**
 * A provider's good answer as the JSON text of `result`: JSON objects as they are, byte for byte; a bare array or
 * scalar wrapped as `{value}`; anything else as `{contentType, text}` or `{contentType, base64}`.
 *
 * @returns `json` is the parsed result for schema checks; null when the answer calls itself JSON and is not, or not
 *   such as may be passed on: nested deeper than {@link JSON_DEPTH_MAX}
 */
export function readResult(response: {
  contentType: string
  body: Buffer
}): { text: string; json: unknown } | null {
  const { contentType, body } = response
  if (!JSON_TYPE.test(contentType) || body.length === 0) {
    const isText = body.length === 0 || TEXT_TYPE.test(contentType)
    const json = isText
      ? { contentType, text: body.toString('utf8') }
      : { contentType, base64: body.toString('base64') }
    return { text: JSON.stringify(json), json }
  }
  const text = body.toString('utf8')
  try {
    const json: unknown = JSON.parse(text)
    if (isDeeperThan(json, JSON_DEPTH_MAX)) return null
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject ? { text, json } : { text: `{"value":${text}}`, json: { value: json } }
  } catch {
    return null
  }
}

/** No charge. */
export const NOTHING = { charge: ZERO, fee: ZERO } as const
