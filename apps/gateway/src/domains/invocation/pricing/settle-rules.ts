import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { CallFailure, MeteredEnd, Recording } from '../rules.ts'
import { type ChargeTerms, chargeUsage, type Metering } from './metering-rules.ts'
import { withOwnCost } from './usage-cost-rules.ts'
import { readUsage, type Usage } from './usage-rules.ts'

/** End of a stream. */
export type RelayedStream = {
  /** `whole`: complete; `silent`: complete, but without usage; `cut`: broken off. */
  readonly end: 'whole' | 'silent' | 'cut'
  /**
   * Final usage, or an estimate if the stream was cut by the gateway; null if there is none, and for services that are
   * not metered.
   */
  readonly usage: Usage | null
  /** True if cut after content had reached a caller that then left or read too slowly; absent: false. */
  readonly isOwed?: boolean
  readonly recording: Recording
  /** SHA-256 of the events, in hex. */
  readonly responseHash: string
}

/** Result of calling a provider. */
export type ProviderOutcome =
  | {
      readonly kind: 'answered'
      /** JSON text of an object. */
      readonly resultText: string
      readonly result: unknown
      /** `result` has only the members that usage is read from; absent: it is complete. */
      readonly isPartial?: boolean
      /** True for embeddings, whose usage need not state an output; absent: false. */
      readonly isEmbedding?: boolean
      /** SHA-256 of the body, in hex. */
      readonly responseHash: string
    }
  | {
      readonly kind: 'streamed'
      /** `isProvidersFault` if the provider broke it off. */
      readonly stream: RelayedStream & { readonly isProvidersFault?: boolean }
    }
  | {
      readonly kind: 'failed'
      readonly failure: CallFailure
      /** True if a successful answer had begun: a model may have worked for it. */
      readonly isBegun: boolean
    }

/** End of a call. Amounts in micro-USDC. */
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
      /** A model answered without usage; its provider may still report it. */
      readonly status: 'PROCESSING'
      readonly error: GatewayError
      readonly pendingResult: string | null
    }

/** `result` of a streamed call: the caller already has it. */
const STREAMED_RESULT = 'null'

/** A call as admitted. */
type HeldCall = { readonly invocationId: string; readonly hold: Usdc; readonly metering: Metering | null }

/** Settles a call: returns what its result means for the held money. */
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

/** Once a model has begun a successful answer, only usage settles the call, whether stated in it or reported later. */
function endOfMetered(call: HeldCall & { metering: Metering }, outcome: ProviderOutcome): CallEnd {
  const { invocationId, hold, metering } = call
  if (outcome.kind === 'failed') {
    const { reason } = outcome.failure.error.context
    // An answer beyond the size limits is never paid, even if usage is reported later.
    if (!outcome.isBegun || reason === 'too_large') return outcome.failure
    const error = missing(reason === 'invalid_json' ? reason : 'usage_missing', invocationId)
    return { status: 'PROCESSING', error, pendingResult: null }
  }
  const usage =
    outcome.kind === 'answered'
      ? readUsage(outcome.result, outcome.isEmbedding !== true)
      : outcome.stream.usage
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
 * Returns the charge of a metered call at its quoted prices.
 *
 * @param reportedBy id of the provider secret that reported the usage; null if the answer stated it
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

/** Returns the error body for an unusable answer. */
export function missing(reason: string, invocationId: string): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', { reason, invocationId })
}
