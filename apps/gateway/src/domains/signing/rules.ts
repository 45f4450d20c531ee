const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Rotation schedule of keys, in ms. */
export type Schedule = {
  /** Time for which a key signs. */
  readonly signsMs: number
  /** Time for which a key is published before its first and after its last signature. */
  readonly overlapMs: number
}

/** Position of a key in the rotation; times are Unix milliseconds. */
export type Turn = { readonly generation: number; readonly signsFrom: number }

/** Returns the schedule of a configuration. */
export function scheduleOf(config: {
  SIGNING_KEY_DAYS: number
  SIGNING_KEY_OVERLAP_HOURS: number
}): Schedule {
  return {
    signsMs: config.SIGNING_KEY_DAYS * DAY_MS,
    overlapMs: config.SIGNING_KEY_OVERLAP_HOURS * HOUR_MS,
  }
}

/**
 * Returns the turn of the key to create now, or null. The first one signs immediately. Each later one is created, and
 * thereby published, `overlapMs` before the newest ends; if that time was missed, the newest keeps signing until the
 * next one has been published for as long.
 *
 * @param turns of all keys, oldest first
 */
export function nextTurn(turns: readonly Turn[], now: number, schedule: Schedule): Turn | null {
  const newest = turns.at(-1)
  if (newest === undefined) return { generation: 1, signsFrom: now }
  const end = newest.signsFrom + schedule.signsMs
  if (now < end - schedule.overlapMs) return null
  return { generation: newest.generation + 1, signsFrom: Math.max(end, now + schedule.overlapMs) }
}

/**
 * Returns the key that signs at a time: the newest whose start has passed. If none has started, the first one signs, as
 * the clock of the gateway that created it may be ahead.
 *
 * @param turns at least one, oldest first
 */
export function signingAt<T extends Turn>(turns: readonly [T, ...T[]], now: number): T {
  return turns.findLast(({ signsFrom }) => signsFrom <= now) ?? turns[0]
}

/**
 * Returns the time until which signatures of a key are valid: the overlap after the next key's start, or after its
 * scheduled start.
 *
 * @param turns oldest first, without gaps
 */
export function believedUntil(turns: readonly Turn[], index: number, schedule: Schedule): number {
  const turn = turns[index]
  if (turn === undefined) throw new Error('There is no such key.')
  const end = turns[index + 1]?.signsFrom ?? turn.signsFrom + schedule.signsMs
  return end + schedule.overlapMs
}
