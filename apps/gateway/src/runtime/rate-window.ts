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

/** Requests admitted at one time, in Unix milliseconds. */
type Entry = { readonly at: number; readonly count: number }

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
  const entries = readEntries(window, nowMs - WINDOW_MS)
  const used = entries.reduce((sum, { count }) => sum + count, 0)
  if (used >= rpm) {
    const seconds = secondsUntil(freeAt(entries, used - rpm), nowMs)
    return { isAdmitted: false, window, remaining: 0, seconds }
  }
  const last = entries.at(-1)
  // The database's clock may step back: entries stay in order.
  const at = Math.max(nowMs, last?.at ?? 0)
  const slotMs = rpm > EXACT_RPM_MAX ? SLOT_MS : 1
  const isOfLast = last !== undefined && Math.floor(last.at / slotMs) === Math.floor(at / slotMs)
  const added = { at, count: (isOfLast ? last.count : 0) + 1 }
  return {
    isAdmitted: true,
    window: writeEntries([...(isOfLast ? entries.slice(0, -1) : entries), added]),
    remaining: rpm - used - 1,
    seconds: secondsUntil(at + WINDOW_MS, nowMs),
  }
}

/** Returns when more than `surplus` of the requests have left the window, in Unix milliseconds. */
function freeAt(entries: readonly Entry[], surplus: number): number {
  let gone = 0
  for (const { at, count } of entries) {
    gone += count
    if (gone > surplus) return at + WINDOW_MS
  }
  throw new Error('No request has to leave the window.')
}

/** Returns the entries later than a time, oldest first. */
function readEntries(window: Buffer, after: number): Entry[] {
  const entries: Entry[] = []
  let at = window.length === 0 ? 0 : window.readUIntBE(0, TIME_BYTES)
  for (let offset = TIME_BYTES; offset < window.length; offset += ENTRY_BYTES) {
    at += window.readUInt16BE(offset)
    if (at > after) entries.push({ at, count: window.readUIntBE(offset + GAP_BYTES, COUNT_BYTES) })
  }
  return entries
}

/** Gaps fit: every entry but the last is less than a window old when the last is added. */
function writeEntries(entries: readonly Entry[]): Buffer {
  const window = Buffer.alloc(TIME_BYTES + entries.length * ENTRY_BYTES)
  let before = entries[0]?.at ?? 0
  window.writeUIntBE(before, 0, TIME_BYTES)
  for (const [index, { at, count }] of entries.entries()) {
    const offset = TIME_BYTES + index * ENTRY_BYTES
    window.writeUInt16BE(at - before, offset)
    window.writeUIntBE(count, offset + GAP_BYTES, COUNT_BYTES)
    before = at
  }
  return window
}

function secondsUntil(at: number, nowMs: number): number {
  return Math.ceil((at - nowMs) / 1_000)
}
