import { formatUsdc, mulDivFloor, type Usdc, usdc, ZERO } from '@farebox/money'
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

const BASIS_POINTS = 10_000n
/** How long a provider has to report the usage of a call, in seconds. */
export const USAGE_WINDOW_SECONDS = 15 * 60
/** Longest piece of a provider's error answer that is told to the caller, in bytes. */
const UPSTREAM_BODY_BYTES_MAX = 2_048
/** What of it is cleaned first, in bytes: a secret that is cut at the end would be known no more. */
const CLEANED_BYTES_MAX = 3 * UPSTREAM_BODY_BYTES_MAX

export type { InvocationStatus } from '@farebox/wire/invocation'

/** Price and service of a call. Amounts in micro-USDC. */
export type Quote = {
  readonly serviceId: string
  readonly provider: string
  readonly hold: Usdc
  /** Of a metered call; null: the hold is the price. */
  readonly metering: Metering | null
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

/** A call as its settlement needs it. */
export type OpenCall = {
  readonly invocationId: string
  readonly credentialId: string
  readonly owner: string
  readonly provider: string
  readonly serviceId: string
  readonly hold: Usdc
  readonly drawnAt: Date
}

/** How a call ends, or comes to wait for its usage: everything its settlement writes. Amounts in micro-USDC. */
export type Settlement = OpenCall & {
  /** The state it is ended from; in any other, another settlement was first. */
  readonly from: 'PENDING' | 'PROCESSING'
  readonly charge: Usdc
  readonly fee: Usdc
  readonly errorCode: string | null
  readonly latencyMs: number | null
  readonly attempts: number
  /** The events of a streamed call, to be kept for replays; null when there are none, or they are kept already. */
  readonly recording: Recording | null
} & (
    | {
        readonly status: 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
        /** The answer as it is sent now and at every replay. */
        readonly answer: { readonly httpStatus: number; readonly body: string }
        /** When the call ended, as the receipt in its answer says; absent: when this is written. */
        readonly finishedAt?: Date
        /** Usage of a metered call that succeeded; null for any other. */
        readonly metered: MeteredEnd | null
      }
    | {
        readonly status: 'PROCESSING'
        readonly reason: string
        /** JSON text of the answer that came without usage, until its usage is known. */
        readonly pendingResult: string | null
      }
  )

/** Final usage of a metered call. */
export type MeteredEnd = {
  readonly usage: Usage
  /** Usage times price, rounded up; above the charge, the rest is a shortfall. */
  readonly cost: Usdc
  /** Whether something of it is not charged. */
  readonly isCapped: boolean
  /** Id of the provider secret that reported it later; null when the answer itself said it. */
  readonly reportedBy: string | null
}

/** The events of a stream as they were sent (raw deflate, see recorder.ts), and whether it ended as it should. */
export type Recording = { readonly events: Buffer; readonly isWhole: boolean }

/**
 * Hold of a fixed-price call: its price, which the caller must assert to the micro and which a cap must pay for.
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
      ? `costUsdc: Must be there: the price that discovery shows, ${currentPriceUsdc} USDC now. Nothing was charged.`
      : isAsserted
        ? `maxCostUsdc: ${expectedPriceUsdc} USDC does not pay for a call, which costs ${currentPriceUsdc} USDC.`
        : `costUsdc: The price is ${currentPriceUsdc} USDC now, not ${expectedPriceUsdc}. Discover again and retry.`
  throw new GatewayError('PRICE_MISMATCH', { expectedPriceUsdc, currentPriceUsdc }, { message })
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
  if (failure.reason === 'stopping') {
    return { status: 'FAILED_RETRYABLE', error: new GatewayError('GATEWAY_INTERRUPTED', context) }
  }
  const isRetryable = RETRYABLE_REASONS.has(failure.reason) || !failure.answered
  return {
    status: isRetryable ? 'FAILED_RETRYABLE' : 'FAILED_FINAL',
    error: new GatewayError('UPSTREAM_ERROR', { reason: failure.reason, ...context }),
  }
}

/**
 * Reads an answer with a status other than 2xx: a 5xx is retryable, anything else final. When the provider says how
 * long to wait, so is the caller told.
 *
 * @param clean takes out of its text what the caller must not see
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

/** Members of a model's answer that its usage is read from, and the longest text of one, in characters. */
const READ_MEMBERS = ['object', 'status', 'usage', 'x_groq'] as const
const READ_LENGTH_MAX = 16_384

/** A provider's answer that may be passed on. */
export type ProviderResult = {
  /** JSON text of an object. */
  readonly text: string
  readonly json: unknown
  /** `json` has only the members that usage is read from: all of it would take too long to build. */
  readonly isPartial: boolean
}

/**
 * A provider's good answer as the JSON text of `result`: JSON objects as they are, byte for byte; a bare array or
 * scalar wrapped as `{value}`; anything else as `{contentType, text}` or `{contentType, base64}`.
 *
 * @param options.mustBeJson nothing but JSON is an answer: so it is with models
 * @param options.isHead     the answer to a HEAD request, whose type is that of a body that does not come
 * @returns `invalid_json` when the answer calls itself JSON and is not,
 *   `too_large` when it goes beyond {@link PROVIDER_JSON}
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
  const text = body.toString('utf8')
  // Most answers are small: one reading, by JSON.parse, and not two.
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
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isObject
    ? { text, json, isPartial: false }
    : { text: `{"value":${text}}`, json: { value: json }, isPartial: false }
}

function partOf({ texts }: JsonScan): Readonly<Record<string, unknown>> {
  const short = [...texts].filter(([, text]) => text.length <= READ_LENGTH_MAX)
  return Object.fromEntries(short.map(([name, text]) => [name, JSON.parse(text)]))
}

/** No charge. */
export const NOTHING = { charge: ZERO, fee: ZERO } as const
