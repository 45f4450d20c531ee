/**
 * Requests per minute over a sliding window: at most `rpm` requests of a token are admitted in any 60 seconds. The
 * window is stored with the token, so gateways that share the row share the limit, without a timer.
 *
 * Up to {@link EXACT_RPM_MAX} each request is stored with its time and the limit is exact. Above it the requests of one
 * second are stored together with the time of the last: never more than `rpm` are admitted, and a request may count for
 * up to a second longer. So a window has at most 121 entries, at any rate.
 *
 * Stored form: empty, or the time of the first entry (6 bytes, Unix milliseconds), then for each entry the milliseconds
 * since the previous one (2 bytes) and its number of requests (3 bytes), all big-endian.
 */

const WINDOW_MS = 60_000
/** Maximum rate whose requests are stored one by one. */
const EXACT_RPM_MAX = 60
const SLOT_MS = 1_000

const TIME_BYTES = 6
const GAP_BYTES = 2
const COUNT_BYTES = 3
const ENTRY_BYTES = GAP_BYTES + COUNT_BYTES
const UNUSED = Buffer.alloc(0)

/** State after a request, for the caller and the headers. */
export type RateDecision = {
  readonly isAdmitted: boolean
  /** To store; unchanged for a refused request. */
  readonly window: Buffer
  /** Requests that would be admitted now, after this one. */
  readonly remaining: number
  /** Seconds until a request is admitted (after a refusal), or until the whole quota is free again. */
  readonly seconds: number
}

/**
 * Decides on one request.
 *
 * @param rpm    requests per minute, 1 or more
 * @param window as stored; empty for an unused token
 * @param now    database time
 */
export function admitAtRate(rpm: number, window: Buffer, now: Date): RateDecision {
  const nowMs = now.getTime()
  const live = liveEntries(window, nowMs - WINDOW_MS)
  // The database's clock was set back: the wait would be as long as the step.
  if (live.lastAt > nowMs + WINDOW_MS) return admitAtRate(rpm, UNUSED, now)
  if (live.used >= rpm) {
    const seconds = secondsUntil(freeAt(window, live, live.used - rpm), nowMs)
    return { isAdmitted: false, window, remaining: 0, seconds }
  }
  // The database's clock may step back: entries stay in order.
  const at = Math.max(nowMs, live.lastAt)
  const slotMs = rpm > EXACT_RPM_MAX ? SLOT_MS : 1
  const isOfLast = live.used > 0 && Math.floor(live.lastAt / slotMs) === Math.floor(at / slotMs)
  return {
    isAdmitted: true,
    window: withRequest(window, live, { at, isOfLast }),
    remaining: rpm - live.used - 1,
    seconds: secondsUntil(at + WINDOW_MS, nowMs),
  }
}

/** The entries that still count: where they start in the stored form, and what they hold. Times in Unix milliseconds. */
type Live = {
  /** Offset of the first; the length of the window if there is none. */
  readonly from: number
  /** Time of the first; 0 if there is none. */
  readonly firstAt: number
  /** Time of the last; 0 if there is none. */
  readonly lastAt: number
  /** Their requests. */
  readonly used: number
}

/** Returns the entries later than a time. */
function liveEntries(window: Buffer, after: number): Live {
  let at = window.length === 0 ? 0 : window.readUIntBE(0, TIME_BYTES)
  let from = window.length
  let firstAt = 0
  let used = 0
  for (let offset = TIME_BYTES; offset < window.length; offset += ENTRY_BYTES) {
    at += window.readUInt16BE(offset)
    if (at <= after) continue
    if (used === 0) {
      from = offset
      firstAt = at
    }
    used += countAt(window, offset)
  }
  return { from, firstAt, lastAt: used === 0 ? 0 : at, used }
}

/** Returns when more than `surplus` of the requests have left the window, in Unix milliseconds. */
function freeAt(window: Buffer, { from, firstAt }: Live, surplus: number): number {
  let at = firstAt
  let gone = countAt(window, from)
  for (let offset = from + ENTRY_BYTES; gone <= surplus; offset += ENTRY_BYTES) {
    at += window.readUInt16BE(offset)
    gone += countAt(window, offset)
  }
  return at + WINDOW_MS
}

/**
 * Returns the window of the entries that still count and one more request, in the last entry or in one of its own. Gaps
 * fit: every entry but the last is less than a window old when the last is added.
 */
function withRequest(window: Buffer, live: Live, added: { at: number; isOfLast: boolean }): Buffer {
  const kept = window.length - live.from
  const written = Buffer.alloc(TIME_BYTES + kept + (added.isOfLast ? 0 : ENTRY_BYTES))
  written.writeUIntBE(live.used === 0 ? added.at : live.firstAt, 0, TIME_BYTES)
  window.copy(written, TIME_BYTES, live.from)
  if (kept > 0) written.writeUInt16BE(0, TIME_BYTES)
  const last = written.length - ENTRY_BYTES
  if (added.isOfLast) {
    const gap = written.readUInt16BE(last)
    // The time of an entry is that of its last request.
    if (kept === ENTRY_BYTES) written.writeUIntBE(added.at, 0, TIME_BYTES)
    else written.writeUInt16BE(gap + added.at - live.lastAt, last)
    written.writeUIntBE(countAt(written, last) + 1, last + GAP_BYTES, COUNT_BYTES)
  } else {
    written.writeUInt16BE(live.used === 0 ? 0 : added.at - live.lastAt, last)
    written.writeUIntBE(1, last + GAP_BYTES, COUNT_BYTES)
  }
  return written
}

/** Returns the requests of the entry at an offset. */
function countAt(window: Buffer, offset: number): number {
  return window.readUIntBE(offset + GAP_BYTES, COUNT_BYTES)
}

function secondsUntil(at: number, nowMs: number): number {
  return Math.ceil((at - nowMs) / 1_000)
}
