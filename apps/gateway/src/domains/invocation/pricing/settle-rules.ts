import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { CallFailure, MeteredEnd, Recording } from '../rules.ts'
import { type ChargeTerms, chargeUsage, type Metering } from './metering-rules.ts'
import { withOwnCost } from './usage-cost-rules.ts'
import { readUsage, type Usage } from './usage-rules.ts'

/** How a stream ended. */
export type RelayedStream = {
  /** `whole`: as it should; `silent`: in good order, but without its usage; `cut`: it broke off. */
  readonly end: 'whole' | 'silent' | 'cut'
  /**
   * Final usage, or an estimate when the stream was let go before; null when it was not told, and for services that are
   * not metered.
   */
  readonly usage: Usage | null
  /** Cut after content had gone to a caller who then left, or whose slow reading used up the time; absent: no. */
  readonly isOwed?: boolean
  readonly recording: Recording
  /** SHA-256 of the events, in hex. */
  readonly responseHash: string
}

/** What came of calling a provider. */
export type ProviderOutcome =
  | {
      readonly kind: 'answered'
      /** JSON text of an object. */
      readonly resultText: string
      readonly result: unknown
      /** `result` has only what usage is read from; absent: it has everything. */
      readonly isPartial?: boolean
      /** SHA-256 of the body, in hex. */
      readonly responseHash: string
    }
  | {
      readonly kind: 'streamed'
      /** `isProvidersFault` when it was the provider who cut it. */
      readonly stream: RelayedStream & { readonly isProvidersFault?: boolean }
    }
  | {
      readonly kind: 'failed'
      readonly failure: CallFailure
      /** Whether a good answer had begun: a model may have worked for it. */
      readonly isBegun: boolean
    }

/** How a call ends. Amounts in micro-USDC. */
export type CallEnd =
  | {
      readonly status: 'SUCCEEDED'
      readonly charge: Usdc
      readonly metered: MeteredEnd | null
      readonly resultText: string
      readonly responseHash: string
    }
  | { readonly status: 'FAILED_RETRYABLE' | 'FAILED_FINAL'; readonly error: GatewayError }
  | {
      /** A model answered, and what it used is not known: its provider may still report it. */
      readonly status: 'PROCESSING'
      readonly error: GatewayError
      readonly pendingResult: string | null
    }

/** `result` of a call whose answer was streamed: the caller has had it. */
const STREAMED_RESULT = 'null'

/** A call as it was admitted. */
type HeldCall = { readonly invocationId: string; readonly hold: Usdc; readonly metering: Metering | null }

/** Settles a call: what its outcome means for the money that is held for it. */
export function endOf(call: HeldCall, outcome: ProviderOutcome): CallEnd {
  if (call.metering === null) return endOfFixed(call, outcome)
  return endOfMetered({ ...call, metering: call.metering }, outcome)
}

function endOfFixed({ invocationId, hold }: HeldCall, outcome: ProviderOutcome): CallEnd {
  if (outcome.kind === 'failed') return outcome.failure
  const isPaid =
    outcome.kind === 'answered' || outcome.stream.end === 'whole' || outcome.stream.isOwed === true
  if (isPaid) return { status: 'SUCCEEDED', charge: hold, metered: null, ...answerOf(outcome) }
  return { status: 'FAILED_FINAL', error: missing('stream_cut', invocationId) }
}

/** Once a model has begun a good answer, only its usage settles the call: said with it, or reported later. */
function endOfMetered(call: HeldCall & { metering: Metering }, outcome: ProviderOutcome): CallEnd {
  const { invocationId, hold, metering } = call
  if (outcome.kind === 'failed') {
    const { reason } = outcome.failure.error.context
    // What goes beyond the limits of an answer is never paid, whatever its provider would report of it.
    if (!outcome.isBegun || reason === 'too_large') return outcome.failure
    const error = missing(reason === 'invalid_json' ? reason : 'usage_missing', invocationId)
    return { status: 'PROCESSING', error, pendingResult: null }
  }
  const usage = outcome.kind === 'answered' ? readUsage(outcome.result) : outcome.stream.usage
  const answer = answerOf(outcome)
  if (usage !== null) {
    const end = meteredEnd(metering, usage, hold, null)
    return { status: 'SUCCEEDED', ...end, ...answer, resultText: withOwnCost(answer.resultText, end.charge) }
  }
  const isCut = outcome.kind === 'streamed' && outcome.stream.end === 'cut'
  const error = missing(isCut ? 'stream_cut' : 'usage_missing', invocationId)
  return { status: 'PROCESSING', error, pendingResult: answer.resultText }
}

/**
 * Charge of a metered call at the prices that it was quoted at.
 *
 * @param reportedBy id of the provider secret that reported the usage; null when the answer itself said it
 */
export function meteredEnd(
  terms: ChargeTerms,
  usage: Usage,
  hold: Usdc,
  reportedBy: string | null,
): { charge: Usdc; metered: MeteredEnd } {
  const { charge, ...priced } = chargeUsage(terms, usage, hold)
  return { charge, metered: { usage, ...priced, reportedBy } }
}

function answerOf(outcome: Exclude<ProviderOutcome, { kind: 'failed' }>) {
  if (outcome.kind === 'streamed') {
    return { resultText: STREAMED_RESULT, responseHash: outcome.stream.responseHash }
  }
  return { resultText: outcome.resultText, responseHash: outcome.responseHash }
}

/** What a caller is told of an answer that is not to be relied on. */
export function missing(reason: string, invocationId: string): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', { reason, invocationId })
}
