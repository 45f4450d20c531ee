import { createHash } from 'node:crypto'
import type { Clock, UpstreamStream } from '../../ports.ts'
import { createEventSplitter } from './event-splitter.ts'
import { createRecorder, type RecordingRoom, unpackRecording } from './recorder.ts'
import type { Recording } from './rules.ts'
import type { RelayedStream } from './settle-rules.ts'
import type { StreamEvent, StreamHead, StreamSink } from './stream-sink.ts'
import { createUsageMeter, isDone, type UsageMeter } from './stream-usage-rules.ts'

/** Largest event that is passed on, in bytes. */
const EVENT_BYTES_MAX = 1_048_576
/** Streams that are read to their end although their callers have left. Past it, one more is let go. */
const ABANDONED_MAX = 500
/** How long a stream that has said its last word may take to end, in ms. */
const GOODBYE_MS_MAX = 1_000

const BLANK_LINE = Buffer.from('\n\n')

/** What all streams of this process share. */
export type RelayRoom = RecordingRoom & { abandoned: number }

type Meter = Pick<UsageMeter, 'see' | 'usage' | 'isWhole'>

/** A stream that shall be passed on. */
type Relay = {
  readonly stream: UpstreamStream
  readonly sink: StreamSink
  readonly head: StreamHead
  readonly isMetered: boolean
}

/**
 * Passes a provider's events on one by one, as they come and no faster than the caller takes them, and reads its
 * usage on the way. When the caller leaves, the stream is read on to its end, in bounded number, time and bytes:
 * what was produced is paid for.
 *
 * @returns how it ended, whether it was the provider who broke it off, and when the first event was passed on
 */
export async function relayStream(
  deps: { readonly clock: Clock; readonly relays: RelayRoom },
  { stream, sink, head, isMetered }: Relay,
): Promise<RelayedStream & { readonly isProvidersFault: boolean; readonly firstAt: number | null }> {
  const splitter = createEventSplitter({ eventBytesMax: EVENT_BYTES_MAX })
  const meter: Meter = isMetered ? createUsageMeter() : plainMeter()
  const recorder = createRecorder(deps.relays)
  const hash = createHash('sha256')
  const passOn = async (events: readonly StreamEvent[]): Promise<void> => {
    for (const event of events) {
      // What follows the last word counts for nothing, whether it comes with it or later.
      if (meter.isWhole) return
      meter.see(event)
      if (isDone(event.data) || posesAsOurs(event)) continue
      recorder.add(event.raw)
      hash.update(event.raw)
      firstAt ??= deps.clock.elapsed()
      const room = sink.write(event)
      if (room !== undefined) await room
    }
  }
  /** Passes the next piece on; undefined as long as there may be more. */
  const step = async (): Promise<RelayedStream['end'] | undefined> => {
    const piece = await stream.read()
    if (piece !== null && 'failure' in piece) {
      isProvidersFault = piece.failure.reason !== 'stopping'
      return 'cut'
    }
    // Some leave out the blank line after their last event.
    const events = cutIntoEvents(splitter, piece ?? BLANK_LINE)
    if (events === null) return 'cut'
    await passOn(piece === null ? events.filter(({ data }) => data !== '') : events)
    if (meter.isWhole) return 'whole'
    if (piece !== null) return undefined
    return !isMetered || meter.usage !== null ? 'whole' : 'silent'
  }

  sink.open(head)
  let end: RelayedStream['end'] | undefined
  let isProvidersFault = false
  let firstAt: number | null = null
  let isAbandoned = false
  let recorded: Promise<Buffer> | undefined
  try {
    while (end === undefined) {
      end = await step()
      if (!sink.isGone || end !== undefined || isAbandoned) continue
      isAbandoned = deps.relays.abandoned < ABANDONED_MAX
      if (isAbandoned) deps.relays.abandoned += 1
      else end = 'cut'
    }
  } finally {
    recorded = recorder.finish()
    recorded.catch(() => undefined) // it is awaited below, unless something was thrown
    if (isAbandoned) deps.relays.abandoned -= 1
    if (end === 'whole') seeOff(deps.clock, stream)
    else stream.cancel()
  }
  const recording = { events: await recorded, isWhole: end === 'whole' && recorder.isComplete }
  const responseHash = hash.digest('hex')
  return { end, usage: meter.usage, recording, responseHash, isProvidersFault, firstAt }
}

/** Plays a recorded stream again, without its pauses. */
export async function replayStream(recording: Recording, sink: StreamSink, head: StreamHead): Promise<void> {
  const events = await unpackRecording(recording.events)
  sink.open(head)
  for (const event of createEventSplitter({ eventBytesMax: EVENT_BYTES_MAX }).push(events)) {
    const room = sink.write(event)
    if (room !== undefined) await room
    if (sink.isGone) return
  }
}

/** Whether an event could be taken for something that only the gateway says. */
function posesAsOurs({ name, raw }: StreamEvent): boolean {
  if (name === 'gateway') return true
  // Nearly no event has the word in it at all.
  return raw.includes('farebox') && /(?:^|[\r\n])\uFEFF?:\s*farebox/.test(raw.toString('utf8'))
}

/** Of a service without a meter, only the marker that many streams end with means anything. */
function plainMeter(): Meter {
  let isWhole = false
  return {
    see({ data }) {
      isWhole ||= isDone(data)
    },
    usage: null,
    get isWhole() {
      return isWhole
    },
  }
}

function cutIntoEvents(
  splitter: ReturnType<typeof createEventSplitter>,
  piece: Buffer,
): StreamEvent[] | null {
  try {
    return splitter.push(piece)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Lets a stream that has said its last word end by itself, so that its connection can be used again. */
function seeOff(clock: Clock, stream: UpstreamStream): void {
  const ended = async () => {
    for (;;) {
      const piece = await stream.read()
      if (piece === null || 'failure' in piece) return
    }
  }
  void Promise.race([ended(), clock.pause(GOODBYE_MS_MAX)]).then(() => stream.cancel())
}
