const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** How keys follow one another, in ms. */
export type Schedule = {
  /** How long a key signs. */
  readonly signsMs: number
  /** How long before its first and after its last signature a key is published. */
  readonly overlapMs: number
}

/** A key's place among the others; times are Unix milliseconds. */
export type Turn = { readonly generation: number; readonly signsFrom: number }

/** Reads the schedule from the settings. */
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
 * The turn of the key that must be made now, or null when none must. The first signs at once. Each later one is made,
 * and thereby published, `overlapMs` before the newest has signed for its time; when that moment was missed, the newest
 * signs on until the next one has been public for as long.
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
 * The one that signs at a time: the newest whose turn has come. Before the first turn it is the first all the same:
 * the clock of the gateway that made it may be ahead of this one.
 *
 * @param turns at least one, oldest first
 */
export function signingAt<T extends Turn>(turns: readonly [T, ...T[]], now: number): T {
  return turns.findLast(({ signsFrom }) => signsFrom <= now) ?? turns[0]
}

/**
 * Until when signatures of a key are to be believed: the overlap after the next one took over, or is planned to.
 *
 * @param turns oldest first, without gaps
 */
export function believedUntil(turns: readonly Turn[], index: number, schedule: Schedule): number {
  const turn = turns[index]
  if (turn === undefined) throw new Error('There is no such key.')
  const end = turns[index + 1]?.signsFrom ?? turn.signsFrom + schedule.signsMs
  return end + schedule.overlapMs
}
