import { z } from 'zod'
import { UNIX_SECONDS_MAX } from '../common.ts'
import { GatewayError } from '../errors.ts'

/** Maximum lifetime: ten years. Without a lifetime there is no expiry. */
const EXPIRES_IN_SEC_MAX = 315_360_000

/** Maximum difference between `expiresInSec` and a time given with it, in ms: clocks differ and requests take time. */
const TOLERANCE_MS = 60_000
/** Maximum length of a time, with an offset and more digits than any clock provides. */
const TIME_LENGTH_MAX = 40

const instantIn = z.union(
  [
    z.iso
      .datetime({ offset: true })
      .max(TIME_LENGTH_MAX)
      .transform(text => new Date(text)),
    z
      .int()
      .min(0)
      .max(UNIX_SECONDS_MAX)
      .transform(seconds => new Date(seconds * 1_000)),
  ],
  'Must be an ISO 8601 time with its offset, such as 2027-01-01T00:00:00Z, or whole Unix seconds.',
)

/** Members of a body that state an expiry: any one, or several that agree. */
export const expiryIn = {
  expiresInSec: z
    .int()
    .min(1)
    .max(EXPIRES_IN_SEC_MAX)
    .nullish()
    .meta({ description: 'Seconds from now until it expires.' }),
  expiresAt: instantIn.nullish().meta({ description: 'When it expires: ISO 8601 or Unix seconds.' }),
  expiration: instantIn.nullish().meta({ description: 'Alias of `expiresAt`.' }),
}

/** Expiry as stated in a body. Null: no expiry. */
export type ExpiryGiven = {
  readonly expiresInSec?: number | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly expiration?: Date | null | undefined
}

/**
 * Returns the expiry of something new; null if it does not expire. Members that are null count as absent.
 *
 * @param now database time
 * @throws GatewayError INVALID_PAYLOAD for times that contradict each other, are not in the future, or are too far in
 * it
 */
export function newExpiry(given: ExpiryGiven, now: Date): Date | null {
  const { expiresInSec, expiresAt, expiration } = given
  return (
    changedExpiry(
      {
        expiresInSec: expiresInSec ?? undefined,
        expiresAt: expiresAt ?? undefined,
        expiration: expiration ?? undefined,
      },
      now,
    ) ?? null
  )
}

/** Returns the changed expiry: null removes it, undefined leaves it. Throws as {@link newExpiry} does. */
export function changedExpiry(given: ExpiryGiven, now: Date): Date | null | undefined {
  const { expiresInSec: seconds, expiresAt, expiration } = given
  const relative = seconds == null ? seconds : new Date(now.getTime() + seconds * 1_000)
  const times = Object.entries({ expiresInSec: relative, expiresAt, expiration }).filter(
    (entry): entry is [keyof ExpiryGiven, Date | null] => entry[1] !== undefined,
  )
  const [first, ...others] = times
  if (first === undefined) return undefined
  for (const other of others) assertAgree(first, other)
  if (first[1] === null) return null
  const ms = Math.min(...times.map(([, time]) => time?.getTime() ?? Number.POSITIVE_INFINITY))
  if (ms <= now.getTime()) throw fault(first[0], 'Must be in the future.')
  if (ms - now.getTime() > EXPIRES_IN_SEC_MAX * 1_000) {
    throw fault(first[0], `Must be at most ${EXPIRES_IN_SEC_MAX} seconds from now.`)
  }
  return new Date(ms)
}

type StatedExpiry = readonly [name: keyof ExpiryGiven, time: Date | null]

function assertAgree([name, time]: StatedExpiry, [otherName, other]: StatedExpiry): void {
  const tolerance = name === 'expiresInSec' ? TOLERANCE_MS : 0
  const agree =
    time === null || other === null ? time === other : Math.abs(time.getTime() - other.getTime()) <= tolerance
  if (!agree) throw fault(otherName, `Contradicts ${name}. Send one of them.`)
}

function fault(path: string, message: string): GatewayError {
  return new GatewayError(
    'INVALID_PAYLOAD',
    { issues: [{ path, message }] },
    { message: `${path}: ${message}` },
  )
}
