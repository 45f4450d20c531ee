import { formatUsdc, type Usdc, ZERO } from '@farebox/money'
import { isObject } from '@farebox/wire/common'
import { type ErrorContext, GatewayError } from '@farebox/wire/errors'
import type { InvocationStatus, Usage } from '@farebox/wire/invocation'
import type { Metering } from './pricing/metering-rules.ts'
import {
  BUILT_MEMBERS_MAX,
  isWithinBounds,
  type JsonScan,
  PROVIDER_JSON,
  scanJson,
} from './provider/json-scan-rules.ts'

/** Time for a provider to report the usage of a call, in seconds. */
export const USAGE_WINDOW_SECONDS = 15 * 60
/** Maximum length of a provider's error text that is passed on, in bytes. */
const UPSTREAM_BODY_BYTES_MAX = 2_048
/** Length that is cleaned first, in bytes: a secret cut at the end would not be recognised. */
const CLEANED_BYTES_MAX = 3 * UPSTREAM_BODY_BYTES_MAX

export type { InvocationStatus } from '@farebox/wire/invocation'

/** Price and service of a call. Amounts in micro-USDC. */
export type Quote = {
  readonly serviceId: string
  readonly provider: string
  readonly hold: Usdc
  /** Metering of a metered call; null: the hold is the price. */
  readonly metering: Metering | null
}

/** States of an invocation and their transitions. Terminal states have none. */
export const NEXT: Readonly<Record<InvocationStatus, readonly InvocationStatus[]>> = {
  PENDING: ['PROCESSING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL'],
  PROCESSING: ['SUCCEEDED', 'FAILED_FINAL'],
  SUCCEEDED: [],
  FAILED_RETRYABLE: [],
  FAILED_FINAL: [],
}

/** Returns true if an invocation in `from` may become `to`. */
export const canBecome = (from: InvocationStatus, to: InvocationStatus): boolean => NEXT[from].includes(to)

/** Returns true for a terminal state. */
export const isTerminal = (status: InvocationStatus): boolean => NEXT[status].length === 0

/** A call as needed for its settlement. */
export type OpenCall = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  readonly provider: string
  readonly serviceId: string
  readonly hold: Usdc
  readonly drawnAt: Date
}

/** End of a call, or its transition to pending usage, as stored by its settlement. Amounts in micro-USDC. */
export type Settlement = OpenCall & {
  /** State before; in any other, another settlement was first. */
  readonly from: 'PENDING' | 'PROCESSING'
  readonly charge: Usdc
  readonly fee: Usdc
  readonly errorCode: string | null
  readonly latencyMs: number | null
  readonly attempts: number
  /** Events of a streamed call, stored for replays; null if there are none, or they are already stored. */
  readonly recording: Recording | null
} & (
    | {
        readonly status: 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
        /** The answer, now and for every replay. */
        readonly answer: { readonly httpStatus: number; readonly body: string }
        /** When the call ended, as in its receipt; absent: when this is stored. */
        readonly finishedAt?: Date
        /** Usage of a successful metered call; null for others. */
        readonly metered: MeteredEnd | null
      }
    | {
        readonly status: 'PROCESSING'
        readonly reason: string
        /** JSON text of the answer without usage, until its usage is known. */
        readonly pendingResult: string | null
      }
  )

/** Final usage of a metered call. */
export type MeteredEnd = {
  readonly usage: Usage
  /** Usage times price, rounded up; the part above the charge is a shortfall. */
  readonly cost: Usdc
  /** True if part of it is not charged. */
  readonly isCapped: boolean
  /** Id of the provider secret that reported it; null if the answer stated it. */
  readonly reportedBy: string | null
}

/** Recorded events of a stream (raw deflate, see recorder.ts), and whether it ended properly. */
export type Recording = { readonly events: Buffer; readonly isWhole: boolean }

/**
 * Returns the hold of a fixed-price call: its price, which the caller must state exactly and a cap must cover.
 *
 * @param caller.asserted `costUsdc`, micro-USDC; null when absent
 * @param caller.maxCost  `maxCostUsdc`, micro-USDC; null when absent
 * @throws GatewayError PRICE_MISMATCH
 */
export function quoteFixed(price: Usdc, caller: { asserted: Usdc | null; maxCost: Usdc | null }): Usdc {
  const { asserted, maxCost } = caller
  const isAsserted = asserted === price
  if (isAsserted && (maxCost === null || maxCost >= price)) return price
  const expected = isAsserted ? maxCost : asserted
  const expectedPriceUsdc = expected === null ? null : formatUsdc(expected)
  const currentPriceUsdc = formatUsdc(price)
  const message =
    expectedPriceUsdc === null
      ? `costUsdc: Is required: the price that discovery shows, ${currentPriceUsdc} USDC now. Nothing was charged.`
      : isAsserted
        ? `maxCostUsdc: ${expectedPriceUsdc} USDC does not cover a call, which costs ${currentPriceUsdc} USDC.`
        : `costUsdc: The price is ${currentPriceUsdc} USDC now, not ${expectedPriceUsdc}. Discover again and retry.`
  throw new GatewayError('PRICE_MISMATCH', { expectedPriceUsdc, currentPriceUsdc }, { message })
}

/** Why a call to a provider is not charged. */
export type CallFailure = {
  readonly status: 'FAILED_RETRYABLE' | 'FAILED_FINAL'
  readonly error: GatewayError
  /** True if the provider was not asked because of the caller's own or others' calls; absent: false. */
  readonly isUnasked?: boolean
}

/** Provider failures after which the same request may be sent again: it had no effect. */
const RETRYABLE_REASONS: ReadonlySet<string> = new Set(['connect', 'blocked_address', 'no_healthy_target'])

const CROWDED =
  "Too many calls to the provider's server are in flight. Nothing was charged. Retry in a moment."
const CROWDED_WAIT_SECONDS = 1

/**
 * Returns the state of an invocation after a transport failure: retryable if nothing reached the provider or no
 * response head came back, final otherwise.
 */
export function failureOnTheWay(
  failure: { reason: string; answered: boolean; isCrowded?: boolean },
  context: ErrorContext,
): CallFailure {
  if (failure.reason === 'stopping') {
    return { status: 'FAILED_RETRYABLE', error: new GatewayError('GATEWAY_INTERRUPTED', context) }
  }
  if (failure.isCrowded === true) {
    const options = { message: CROWDED, retryAfterSeconds: CROWDED_WAIT_SECONDS }
    const error = new GatewayError('UPSTREAM_ERROR', { reason: failure.reason, ...context }, options)
    return { status: 'FAILED_RETRYABLE', error, isUnasked: true }
  }
  const isRetryable = RETRYABLE_REASONS.has(failure.reason) || !failure.answered
  return {
    status: isRetryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL',
    error: new GatewayError('UPSTREAM_ERROR', { reason: failure.reason, ...context }),
  }
}

/**
 * Returns the failure for a status other than 2xx: retryable for 5xx, otherwise final. Passes the provider's
 * Retry-After on.
 *
 * @param clean removes from its text what the caller must not see
 */
export function failureByStatus(
  response: { status: number; retryAfterSeconds: number | null; body: Buffer },
  context: ErrorContext,
  clean: (text: string) => string = text => text,
): CallFailure {
  const { retryAfterSeconds } = response
  return {
    status: response.status >= 500 ? 'FAILED_RETRYABLE' : 'FAILED_FINAL',
    error: new GatewayError('UPSTREAM_ERROR', {
      reason: 'status',
      upstreamStatus: response.status,
      upstreamBody: Buffer.from(clean(response.body.subarray(0, CLEANED_BYTES_MAX).toString('utf8')))
        .subarray(0, UPSTREAM_BODY_BYTES_MAX)
        .toString('utf8'),
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
      ...context,
    }),
  }
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i
const TEXT_TYPE =
  /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded)\b|[\w.+-]+\/[\w.+-]+\+xml\b)/i

/** Members of a model's answer that usage is read from, and the maximum length of one, in characters. */
const READ_MEMBERS = ['object', 'status', 'usage', 'x_groq'] as const
const READ_LENGTH_MAX = 16_384

/** A provider's answer that may be passed on. */
export type ProviderResult = {
  /** JSON text of an object. */
  readonly text: string
  readonly json: unknown
  /** `json` has only the members that usage is read from: building all of it would take too long. */
  readonly isPartial: boolean
}

/**
 * Returns a provider's successful answer as the JSON text of `result`: JSON objects byte for byte; a bare array or
 * scalar as `{value}`; anything else as `{contentType, text}` or `{contentType, base64}`.
 *
 * @param options.mustBeJson true for models: only JSON is an answer
 * @param options.isHead     true for the answer to a HEAD request, which has a type but no body
 * @returns `invalid_json` if the answer claims to be JSON and is not, `too_large` beyond {@link PROVIDER_JSON}
 */
export function readResult(
  response: { contentType: string; body: Buffer },
  options: { mustBeJson: boolean; isHead?: boolean },
): ProviderResult | 'invalid_json' | 'too_large' {
  const { contentType, body } = response
  if (!JSON_TYPE.test(contentType) || options.isHead === true) {
    if (options.mustBeJson) return 'invalid_json'
    const isText = body.length === 0 || TEXT_TYPE.test(contentType)
    const json = isText
      ? { contentType, text: body.toString('utf8') }
      : { contentType, base64: body.toString('base64') }
    return { text: JSON.stringify(json), json, isPartial: false }
  }
  // A byte order mark is no part of the JSON (RFC 8259, 8.1): some servers send one.
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  // Most answers are small: JSON.parse alone is enough.
  if (isWithinBounds(text)) return readSmall(text)
  const scan = scanJson(text, PROVIDER_JSON, READ_MEMBERS)
  if (typeof scan === 'string') return scan
  const isObject = scan.kind === 'object'
  const wrapped = isObject ? text : `{"value":${text}}`
  if (scan.members > BUILT_MEMBERS_MAX) return { text: wrapped, json: partOf(scan), isPartial: true }
  const json: unknown = JSON.parse(text)
  return { text: wrapped, json: isObject ? json : { value: json }, isPartial: false }
}

function readSmall(text: string): ProviderResult | 'invalid_json' {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'invalid_json'
  }
  return isObject(json)
    ? { text, json, isPartial: false }
    : { text: `{"value":${text}}`, json: { value: json }, isPartial: false }
}

function partOf({ texts }: JsonScan): Readonly<Record<string, unknown>> {
  const short = [...texts].filter(([, text]) => text.length <= READ_LENGTH_MAX)
  return Object.fromEntries(short.map(([name, text]) => [name, JSON.parse(text)]))
}

/** No charge. */
export const NOTHING = { charge: ZERO, fee: ZERO } as const
