import { z } from 'zod'

/**
 * Requests per minute by the generic cell rate algorithm (ITU-T I.371, appendix I.A): one number per token says when
 * the bucket would be empty again, so nothing has to be refilled by a timer and all gateways that share the row
 * share the limit. A whole minute's worth may come at once.
 */

/** Requests per minute of a token when none are asked for. */
export const RPM_DEFAULT = 600
/** Most requests per minute that a token may be given. */
export const RPM_MAX = 10_000_000

/** Requests per minute as asked for. */
export const rpmIn = z.int().min(1).max(RPM_MAX)

const WINDOW_US = 60_000_000n

/** The state after a request, for the caller and the headers. */
export type RateDecision = {
  readonly isAdmitted: boolean
  /** Theoretical arrival time to be kept, in Unix microseconds. */
  readonly tat: bigint
  /** Requests that would be admitted right now, after this one. */
  readonly remaining: number
  /** Seconds until a request is admitted (refused ones), or until the whole quota is free again (admitted ones). */
  readonly seconds: number
}

/**
 * Decides on one request.
 *
 * @param rpm requests per minute, 1 or more
 * @param tat the kept theoretical arrival time, in Unix microseconds
 * @param now database time, in Unix microseconds
 */
export function admitAtRate(rpm: number, tat: bigint, now: bigint): RateDecision {
  const spacing = WINDOW_US / BigInt(rpm)
  const tolerance = WINDOW_US - spacing
  const start = tat > now ? tat : now
  if (start - now > tolerance) {
    return { isAdmitted: false, tat, remaining: 0, seconds: ceilSeconds(start - now - tolerance) }
  }
  const next = start + spacing
  const free = WINDOW_US - (next - now)
  return {
    isAdmitted: true,
    tat: next,
    remaining: free < 0n ? 0 : Number(free / spacing),
    seconds: ceilSeconds(next - now),
  }
}

function ceilSeconds(microseconds: bigint): number {
  return Number((microseconds + 999_999n) / 1_000_000n)
}
