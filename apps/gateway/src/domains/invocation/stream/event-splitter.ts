import type { StreamEvent } from './stream-sink.ts'

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const DATA = Buffer.from('data')
const EVENT = Buffer.from('event')
const NOTHING = Buffer.alloc(0)
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Maximum size of a block that is only a blank line, in bytes: CR and LF. */
const BLANK_BYTES_MAX = 2
/** Minimum buffer for an unfinished event, in bytes. */
const PENDING_BYTES_MIN = 1_024

/** Splits a stream of bytes into server-sent events. */
export type EventSplitter = {
  /**
   * Takes the next bytes, cut anywhere.
   *
   * @returns the complete events. Their `raw` may be a view of the chunk: copy what is kept for long
   * @throws RangeError if an event exceeds the limit. Events before it are returned first; the next call throws
   */
  push(chunk: Buffer): StreamEvent[]
  /**
   * Ends the stream.
   *
   * @returns the bytes after the last complete event, or null
   * @throws RangeError as `push`
   */
  end(): Buffer | null
}

/**
 * Creates a splitter by WHATWG HTML 9.2: lines end in LF, CRLF or CR, an event ends with a blank line. A block without
 * fields (comments, the blank lines of a chunk that follow one another) is an event with empty name and data. The `raw`
 * of all events and the rest equal the stream byte for byte, however it was cut into chunks, but for a byte order mark at
 * its start, which is no part of its first event.
 *
 * A CR that makes a blank line waits for the next byte, which may be its LF, unless the previous line ended in a lone
 * CR too: then the event is complete, and a following LF belongs to the next one, where it means nothing.
 *
 * @param options.eventBytesMax maximum size of an event, blank line included
 */
export function createEventSplitter(options: { readonly eventBytesMax: number }): EventSplitter {
  return new Splitter(options.eventBytesMax)
}

class Splitter implements EventSplitter {
  readonly #eventBytesMax: number
  #pending: Buffer = NOTHING
  #pendingBytes = 0
  #lineBytes = 0
  #isAfterCr = false
  #isLoneCrBefore = false
  #isBlankWaiting = false
  #isBlankBefore = false
  #isFirst = true
  #isTooBig = false

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax
  }

  push(chunk: Buffer): StreamEvent[] {
    if (this.#isTooBig) this.#refuse()
    const events: StreamEvent[] = []
    let start = 0
    for (const end of this.#findEnds(chunk)) {
      this.#isTooBig = this.#pendingBytes + end - start > this.#eventBytesMax
      if (this.#isTooBig) break
      const raw = this.#take(chunk.subarray(start, end))
      events.push(
        readEvent(this.#isFirst && startsWithMark(raw) ? raw.subarray(BYTE_ORDER_MARK.length) : raw),
      )
      this.#isFirst = false
      start = end
    }
    this.#isTooBig ||= this.#pendingBytes + chunk.length - start > this.#eventBytesMax
    if (this.#isTooBig && events.length === 0) this.#refuse()
    if (!this.#isTooBig && start < chunk.length) this.#append(chunk.subarray(start))
    return events
  }

  end(): Buffer | null {
    if (this.#isTooBig) this.#refuse()
    return this.#pendingBytes === 0 ? null : this.#take(NOTHING)
  }

  /** Finds the ends of blocks in a chunk; the state of a line continues across chunks. */
  #findEnds(chunk: Buffer): number[] {
    const ends: number[] = []
    this.#isBlankBefore = false
    const nextStop = lineStops(chunk)
    let at = 0
    while (at < chunk.length) {
      if (this.#isAfterCr) {
        at = this.#settleCr(chunk, at, ends)
        continue
      }
      const stop = nextStop(at)
      if (stop === -1) {
        this.#lineBytes += chunk.length - at
        break
      }
      const isBlank = this.#lineBytes + stop - at === 0
      this.#lineBytes = 0
      at = stop + 1
      this.#isAfterCr = chunk[stop] === CR
      if (isBlank && this.#isAfterCr && !this.#isLoneCrBefore) this.#isBlankWaiting = true
      else if (isBlank) this.#close(ends, at)
      this.#isLoneCrBefore = this.#isAfterCr
    }
    return ends
  }

  /** Handles the byte after a CR: an LF belongs to it. Returns where to continue. */
  #settleCr(chunk: Buffer, at: number, ends: number[]): number {
    this.#isAfterCr = false
    const isPair = chunk[at] === LF
    if (isPair) this.#isLoneCrBefore = false
    const next = isPair ? at + 1 : at
    if (this.#isBlankWaiting) this.#close(ends, next)
    this.#isBlankWaiting = false
    return next
  }

  /** Adds the end of a block. Blank lines that follow one another become one block: a stream may have millions. */
  #close(ends: number[], end: number): void {
    const isBlank = end - (ends.at(-1) ?? -this.#pendingBytes) <= BLANK_BYTES_MAX
    if (isBlank && this.#isBlankBefore) ends.pop()
    ends.push(end)
    this.#isBlankBefore = isBlank
  }

  #append(bytes: Buffer): void {
    const size = this.#pendingBytes + bytes.length
    if (size > this.#pending.length) {
      // Doubling keeps copying linear in the size of the event, however small the chunks are.
      const room = Math.max(PENDING_BYTES_MIN, size, Math.min(2 * size, this.#eventBytesMax))
      const grown = Buffer.allocUnsafe(room)
      this.#pending.copy(grown, 0, 0, this.#pendingBytes)
      this.#pending = grown
    }
    bytes.copy(this.#pending, this.#pendingBytes)
    this.#pendingBytes = size
  }

  /** Returns what is pending with these bytes behind it. */
  #take(bytes: Buffer): Buffer {
    if (this.#pendingBytes === 0) return bytes
    if (bytes.length > 0) this.#append(bytes)
    const raw = this.#pending.subarray(0, this.#pendingBytes)
    this.#drop()
    return raw
  }

  #refuse(): never {
    this.#drop()
    throw new RangeError(`A server-sent event exceeds ${this.#eventBytesMax} bytes.`)
  }

  #drop(): void {
    this.#pending = NOTHING
    this.#pendingBytes = 0
  }
}

/** Finds line ends at rising positions; reads each byte once. */
function lineStops(bytes: Buffer): (from: number) => number {
  let lf = bytes.indexOf(LF)
  let cr = bytes.indexOf(CR)
  return from => {
    if (lf !== -1 && lf < from) lf = bytes.indexOf(LF, from)
    if (cr !== -1 && cr < from) cr = bytes.indexOf(CR, from)
    return cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
  }
}

/** Returns true if bytes start with a byte order mark, which a client drops at the start of a stream. */
export function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
}

/** Parses the fields of a complete block. Only `event` and `data` matter. */
export function readEvent(raw: Buffer): StreamEvent {
  const nextStop = lineStops(raw)
  let at = 0
  let name = ''
  let data: string | null = null
  for (let end = nextStop(at); end !== -1; end = nextStop(at)) {
    const dataAt = valueStart(raw, at, end, DATA)
    if (dataAt !== -1) {
      const value = raw.toString('utf8', dataAt, end)
      data = data === null ? value : `${data}\n${value}`
    } else {
      const nameAt = valueStart(raw, at, end, EVENT)
      if (nameAt !== -1) name = raw.toString('utf8', nameAt, end)
    }
    at = end + 1
  }
  return { raw, name, data: data ?? '' }
}

/** Returns where the value of the line's field begins, after one space; -1 for another field. */
function valueStart(raw: Buffer, start: number, end: number, field: Buffer): number {
  const after = start + field.length
  if (after > end) return -1
  for (let index = 0; index < field.length; index += 1) {
    if (raw[start + index] !== field[index]) return -1
  }
  // A line with only the field's name has an empty value.
  if (after === end) return end
  if (raw[after] !== COLON) return -1
  return after + 1 < end && raw[after + 1] === SPACE ? after + 2 : after + 1
}
