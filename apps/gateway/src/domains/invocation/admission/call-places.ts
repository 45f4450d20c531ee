import { GatewayError } from '@farebox/wire/errors'
import type { Config } from '../../../config.ts'
import type { Metrics } from '../../../ports.ts'
import { createOwnerPlaces, type NoPlace, type OwnerPlaces } from '../../../runtime/owner-places.ts'
import { RETRY_AFTER_SECONDS } from '../../../runtime/retry-after.ts'
import { shedCall } from './shed-call.ts'

/**
 * Limits calls in flight of all owners of one process, open streams, and streams that are read on without their
 * callers.
 */
const CALLS_MAX = 20_000
const STREAMS_MAX = 10_000
const ABANDONED_MAX = 500

/** Places taken by the calls of a process, by owner. */
export type CallPlaces = {
  readonly calls: OwnerPlaces
  readonly streams: OwnerPlaces
  readonly abandoned: OwnerPlaces
}

/** Creates the places; the limits per owner are settings. */
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
 * Takes the places of a call: one in flight, and one among the open streams if it requests a stream. A refused call
 * leaves no trace: no hold, no key, no count against a rate.
 *
 * @returns a function to call once when the call ends; or GatewayError RATE_LIMITED beyond a limit of the owner,
 * UNAVAILABLE beyond a limit of the process
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
  const waitMs = RETRY_AFTER_SECONDS.busy * 1_000
  if (refusedBy === 'process') return shedCall(metrics, { reason: 'room', waitMs })
  const { limit, what } = LIMITS[kind]
  const max = places[kind].bounds.perOwner
  const message = `Your wallet has ${max} ${what}, the maximum. Wait until one has ended, then retry with the same idempotency key.`
  return new GatewayError(
    'RATE_LIMITED',
    { limit, max },
    { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy },
  )
}
