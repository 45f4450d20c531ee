import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'

/** Maximum bytes recorded of one stream. Beyond it, the stream is passed on but not recorded. */
export const RECORDING_BYTES_MAX = 4_194_304
/** The same maximum for all running streams together. */
const RECORDINGS_BYTES_MAX = 134_217_728
/** Page size of the buffers. */
const PAGE_BYTES = 16_384

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Bytes taken by the recorders of this process. */
export type RecordingRoom = { recordedBytes: number }

/** Records the events of one stream. A recording is complete or empty. */
export type Recorder = {
  /** Stores a copy, if there is room. */
  add(raw: Buffer): void
  readonly isComplete: boolean
  /** Ends the recording and frees its buffers. Raw deflate (RFC 1951): chunks are repetitive. */
  finish(): Promise<Buffer>
}

/** Creates a recorder that shares its memory limit with others. */
export function createRecorder(room: RecordingRoom): Recorder {
  let pages: Buffer[] = []
  let bytes = 0
  let isComplete = true

  const nextPage = (): Buffer | undefined => {
    const isFull =
      bytes + PAGE_BYTES > RECORDING_BYTES_MAX || room.recordedBytes + PAGE_BYTES > RECORDINGS_BYTES_MAX
    if (isFull) return undefined
    // Not from the shared pool, so that it is freed at once.
    const page = Buffer.allocUnsafeSlow(PAGE_BYTES)
    pages.push(page)
    room.recordedBytes += PAGE_BYTES
    return page
  }
  const copy = (raw: Buffer): boolean => {
    for (let rest = raw; rest.length > 0; ) {
      const used = bytes % PAGE_BYTES
      const page = used === 0 ? nextPage() : pages.at(-1)
      if (page === undefined) return false
      const copied = rest.copy(page, used)
      bytes += copied
      rest = rest.subarray(copied)
    }
    return true
  }
  const drop = () => {
    room.recordedBytes -= pages.length * PAGE_BYTES
    pages = []
    bytes = 0
  }
  return {
    add(raw) {
      if (!isComplete || copy(raw)) return
      isComplete = false
      drop()
    },
    get isComplete() {
      return isComplete
    },
    finish() {
      const events = Buffer.concat(pages, bytes)
      drop()
      return deflate(events, { level: constants.Z_BEST_SPEED })
    },
  }
}

/** Returns the events of a recording, as sent. */
export function unpackRecording(recorded: Buffer): Promise<Buffer> {
  return inflate(recorded, { maxOutputLength: RECORDING_BYTES_MAX })
}
