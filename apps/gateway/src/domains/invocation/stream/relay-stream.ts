import { createHash } from 'node:crypto'
import type { Clock } from '../../../ports.ts'
import type { UpstreamStream } from '../../../upstream-ports.ts'
import type { OwnerPlaces } from '../admission/owner-places.ts'
import { createOutputTally } from '../pricing/output-tally.ts'
import type { RelayedStream } from '../pricing/settle-rules.ts'
import { createUsageMeter, isDone, saysError, type UsageMeter } from '../pricing/stream-usage-rules.ts'
import { withoutCost } from '../pricing/usage-cost-rules.ts'
import type { Usage } from '../pricing/usage-rules.ts'
import type { Recording } from '../rules.ts'
import { createEventSplitter } from './event-splitter.ts'
import { createRecorder, type RecordingRoom, unpackRecording } from './recorder.ts'
import type { StreamEvent, StreamHead, StreamSink } from './stream-sink.ts'

/** Largest event that is passed on, in bytes. */
const EVENT_BYTES_MAX = 1_048_576
/** Largest error event that is passed on, in bytes: each is searched for secrets. */
const ERROR_EVENT_BYTES_MAX = 16_384
/** How long a stream that has said its last word may take to end, in ms. */
const GOODBYE_MS_MAX = 1_000

const BLANK_LINE = Buffer.from('\n\n')

/** What all streams of this process share. */
export type RelayRoom = RecordingRoom & {
  /** Streams that are read to their end although their callers have left. Without a place, one more is let go. */
  readonly abandoned: OwnerPlaces
}

type Meter = Pick<UsageMeter, 'see' | 'usage' | 'isWhole'>

/** A stream that shall be passed on. */
type Relay = {
  readonly stream: UpstreamStream
  readonly sink: StreamSink
  readonly head: StreamHead
  /** The wallet that pays. */
  readonly owner: string
  /** Takes out of the text of an error what the caller must not see. */
  readonly clean: (text: string) => string
  /** What a metered call may be charged for when it is let go before its usage comes; null: it has a fixed price. */
  readonly metered: { readonly promptTokens: number; readonly maxOutputTokens: number } | null
}

/**
 * Passes a provider's events on one by one, as they come and no faster than the caller takes them, and reads its
 * usage on the way. When the caller leaves, the stream is read on to its end, in bounded number, time and bytes:
 * what was produced is paid for. A stream past that number is let go and paid all the same: a model by its prompt and
 * the output so far, a fixed price once content was passed on.
 *
 * @returns how it ended, whether it was the provider who broke it off, and when the first event was passed on
 */
export async function relayStream(
  deps: { readonly clock: Clock; readonly relays: RelayRoom },
  { stream, sink, head, owner, metered, clean }: Relay,
): Promise<RelayedStream & { readonly isProvidersFault: boolean; readonly firstAt: number | null }> {
  const splitter = createEventSplitter({ eventBytesMax: EVENT_BYTES_MAX })
  const isMetered = metered !== null
  const meter: Meter = isMetered ? createUsageMeter() : plainMeter()
  const output = createOutputTally()
  const recorder = createRecorder(deps.relays)
  const hash = createHash('sha256')
  const passOn = async (events: readonly StreamEvent[]): Promise<void> => {
    for (const given of events) {
      // What follows the last word counts for nothing, whether it comes with it or later.
      if (meter.isWhole) return
      meter.see(given)
      if (isDone(given.data) || posesAsOurs(given)) continue
      const told = isMetered ? withoutCost(given) : given
      const event = saysError(told) ? cleaned(told, clean) : told
      if (event === null) continue
      recorder.add(event.raw)
      hash.update(event.raw)
      firstAt ??= deps.clock.elapsed()
      if (isMetered) output.see(event.data)
      hasContent ||= event.data !== '' && !sink.isGone
      const room = sink.write(event)
      if (room === undefined) continue
      hasWaited = true
      await room
    }
  }
  /** Passes the next piece on; undefined as long as there may be more. */
  const step = async (): Promise<RelayedStream['end'] | undefined> => {
    const piece = await stream.read()
    if (piece !== null && 'failure' in piece) {
      const { reason } = piece.failure
      const ranOutOnCaller = reason === 'timeout' && (hasWaited || sink.isGone)
      isOwed = ranOutOnCaller && hasContent
      isProvidersFault = reason !== 'stopping' && !ranOutOnCaller
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
  let isOwed = false
  let isLetGo = false
  let hasContent = false
  let hasWaited = false
  let firstAt: number | null = null
  let place: ReturnType<OwnerPlaces['take']> | undefined
  let recorded: Promise<Buffer> | undefined
  try {
    while (end === undefined) {
      end = await step()
      if (!sink.isGone || end !== undefined || place !== undefined) continue
      place = deps.relays.abandoned.take(owner)
      if (typeof place === 'function') continue
      isLetGo = true
      isOwed = hasContent
      end = 'cut'
    }
  } finally {
    recorded = recorder.finish()
    recorded.catch(() => undefined) // it is awaited below, unless something was thrown
    if (typeof place === 'function') place()
    if (end === 'whole') seeOff(deps.clock, stream)
    else stream.cancel()
  }
  const recording = { events: await recorded, isWhole: end === 'whole' && recorder.isComplete }
  const responseHash = hash.digest('hex')
  const usage = meter.usage ?? (isLetGo && metered !== null ? usageSoFar(metered, output.tokens) : null)
  return { end, usage, isOwed, recording, responseHash, isProvidersFault, firstAt }
}

/** What a model that was let go may have used: its prompt, and the output that came, within its bound. */
function usageSoFar(metered: NonNullable<Relay['metered']>, output: number): Usage {
  const inputTokens = metered.promptTokens
  const outputTokens = Math.min(output, metered.maxOutputTokens)
  const uncached = { cacheReadTokens: 0, cacheWriteTokens: 0 }
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...uncached }
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

/** An error event as its caller may see it; null when it is too long to be looked through. */
function cleaned(event: StreamEvent, clean: Relay['clean']): StreamEvent | null {
  if (event.raw.length > ERROR_EVENT_BYTES_MAX) return null
  return { ...event, raw: Buffer.from(clean(event.raw.toString('utf8'))), data: clean(event.data) }
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
