import { GatewayError } from '@farebox/wire/errors'
import type { Config } from '../../../config.ts'
import type { Metrics } from '../../../ports.ts'
import { createOwnerPlaces, type NoPlace, type OwnerPlaces } from './owner-places.ts'
import { shedCall } from './shed-call.ts'

/** Calls in flight of all owners of one process, open streams, and streams that are read on without their callers. */
const CALLS_MAX = 20_000
const STREAMS_MAX = 10_000
const ABANDONED_MAX = 500
/** After which a caller past a bound may come back, in seconds: calls and streams end all the time. */
const RETRY_AFTER_SECONDS = 1

/** What the calls of a process take up, by owner. */
export type CallPlaces = {
  readonly calls: OwnerPlaces
  readonly streams: OwnerPlaces
  readonly abandoned: OwnerPlaces
}

/** Makes them; an owner's bounds are settings. */
export function createCallPlaces(
  config: Pick<Config, 'CALLS_PER_OWNER' | 'STREAMS_PER_OWNER' | 'ABANDONED_STREAMS_PER_OWNER'>,
): CallPlaces {
  return {
    calls: createOwnerPlaces({ perOwner: config.CALLS_PER_OWNER, all: CALLS_MAX }),
    streams: createOwnerPlaces({ perOwner: config.STREAMS_PER_OWNER, all: STREAMS_MAX }),
    abandoned: createOwnerPlaces({ perOwner: config.ABANDONED_STREAMS_PER_OWNER, all: ABANDONED_MAX }),
  }
}

/**
 * Takes the places of a call: one among those in flight and, when it asks for a stream, one among those that are open.
 * A refused call has left no trace: no hold, no key, no count against a rate.
 *
 * @returns to be called once, when the call is over; or GatewayError RATE_LIMITED past a bound of the owner's own,
 *   UNAVAILABLE past what the process has for it
 */
export function takeCallPlaces(
  { places, metrics }: { readonly places: CallPlaces; readonly metrics: Metrics },
  { owner, isStream }: { owner: string; isStream: boolean },
): (() => void) | GatewayError {
  const leaveCalls = places.calls.take(owner)
  if (typeof leaveCalls !== 'function') return refusalOf(metrics, leaveCalls, places, 'calls')
  if (!isStream) return leaveCalls
  const leaveStreams = places.streams.take(owner)
  if (typeof leaveStreams === 'function') {
    return () => {
      leaveStreams()
      leaveCalls()
    }
  }
  leaveCalls()
  return refusalOf(metrics, leaveStreams, places, 'streams')
}

const LIMITS = {
  calls: { limit: 'calls_in_flight', what: 'calls in flight' },
  streams: { limit: 'open_streams', what: 'open streams' },
} as const

function refusalOf(
  metrics: Metrics,
  { refusedBy }: NoPlace,
  places: CallPlaces,
  kind: keyof typeof LIMITS,
): GatewayError {
  const waitMs = RETRY_AFTER_SECONDS * 1_000
  if (refusedBy === 'process') return shedCall(metrics, { reason: 'room', waitMs })
  const { limit, what } = LIMITS[kind]
  const max = places[kind].bounds.perOwner
  const message = `Your wallet has ${max} ${what}, the most that it may have at once. Wait until one is over, then retry with the same idempotency key.`
  return new GatewayError('RATE_LIMITED', { limit, max }, { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
