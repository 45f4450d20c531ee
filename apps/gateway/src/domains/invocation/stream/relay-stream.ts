import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Usdc } from '@farebox/money'
import type { Clock } from '../../../ports.ts'
import type { OwnerPlaces } from '../../../runtime/owner-places.ts'
import type { UpstreamStream } from '../../../upstream-ports.ts'
import { eventWithModelName } from '../pricing/model-name-rules.ts'
import { createOutputTally } from '../pricing/output-tally.ts'
import type { RelayedStream } from '../pricing/settle-rules.ts'
import { createUsageMeter, isDone, saysError, type UsageMeter } from '../pricing/stream-usage-rules.ts'
import { withCost } from '../pricing/usage-cost-rules.ts'
import type { Usage } from '../pricing/usage-rules.ts'
import type { Recording } from '../rules.ts'
import { createEventSplitter, readEvent, startsWithMark } from './event-splitter.ts'
import { createRecorder, RECORDING_BYTES_MAX, type RecordingRoom, unpackRecording } from './recorder.ts'
import { bytesOf, type StreamEvent, type StreamHead, type StreamSink } from './stream-sink.ts'

/** Maximum size of an error event, in bytes: each is searched for secrets. */
const ERROR_EVENT_BYTES_MAX = 16_384
/** Maximum events of a stream that are passed on in one turn of the event loop. */
const EVENTS_AT_ONCE_MAX = 256
/** Maximum bytes of a replay that are written in one turn of the event loop. */
const REPLAYED_BYTES = 16_384
/** Time for a stream to close after its last event, in ms. */
const GOODBYE_MS_MAX = 1_000

const BLANK_LINE = Buffer.from('\n\n')

/** State shared by all streams of this process. */
export type RelayRoom = RecordingRoom & {
  /** Limit of streams that are read to their end although their callers have left. Beyond it, a stream is cut. */
  readonly abandoned: OwnerPlaces
}

type Meter = Pick<UsageMeter, 'see' | 'usage' | 'isWhole' | 'hasUnread'>

/** A stream to relay. */
type Relay = {
  readonly stream: UpstreamStream
  readonly sink: StreamSink
  readonly head: StreamHead
  /** Maximum size of an event, in bytes. */
  readonly eventBytesMax: number
  /** Wallet that pays. */
  readonly owner: string
  /** Removes from the text of an error what the caller must not see. */
  readonly clean: (text: string) => string
  /** Basis of the charge of a metered call; null: it has a fixed price. */
  readonly metered: MeteredStream | null
  /** Value of `model` in the events; absent: the provider's. */
  readonly reportedModel?: string | undefined
}

/** Basis of the charge of a metered stream. */
type MeteredStream = {
  readonly promptTokens: number
  readonly maxOutputTokens: number
  /** Returns the charge of a usage, micro-USDC. */
  readonly chargeOf: (usage: Usage) => Usdc
}

/**
 * Passes a provider's events on as they come, no faster than the caller takes them, and reads the usage. If the caller
 * leaves, the stream is read to its end, bounded in number, time and bytes: what was produced is paid. A stream that
 * such a limit of the gateway cuts is still paid, as its caller can bring that about: a model by its prompt and the
 * output so far, a fixed price once content was passed on.
 *
 * @returns how it ended, whether the provider broke it off, and when the first event was passed on
 */
export function relayStream(deps: RelayDeps, relay: Relay): Promise<EndedRelay> {
  return new RunningRelay(deps, relay).run()
}

type RelayDeps = { readonly clock: Clock; readonly relays: RelayRoom }
type EndedRelay = RelayedStream & { readonly isProvidersFault: boolean; readonly firstAt: number | null }

class RunningRelay {
  readonly #deps: RelayDeps
  readonly #relay: Relay
  readonly #meter: Meter
  readonly #recorder: ReturnType<typeof createRecorder>
  readonly #splitter: ReturnType<typeof createEventSplitter>
  readonly #output = createOutputTally()
  readonly #hash = createHash('sha256')
  #isProvidersFault = false
  #isOwed = false
  #isLetGo = false
  #hasContent = false
  #hasWaited = false
  #firstAt: number | null = null
  #place: ReturnType<OwnerPlaces['take']> | undefined

  constructor(deps: RelayDeps, relay: Relay) {
    this.#deps = deps
    this.#relay = relay
    this.#meter = relay.metered === null ? plainMeter() : createUsageMeter()
    this.#recorder = createRecorder(deps.relays)
    this.#splitter = createEventSplitter(relay)
  }

  async run(): Promise<EndedRelay> {
    const { stream, sink, head, metered } = this.#relay
    sink.open(head)
    let end: RelayedStream['end'] | undefined
    let recorded: Promise<Buffer> | undefined
    try {
      while (end === undefined) {
        end = await this.#step()
        if (end === undefined && sink.isGone && !this.#mayReadOn()) end = 'cut'
      }
    } finally {
      recorded = this.#recorder.finish()
      recorded.catch(() => undefined) // it is awaited below, unless something was thrown
      if (typeof this.#place === 'function') this.#place()
      if (end === 'whole') seeOff(this.#deps.clock, stream)
      else stream.cancel()
    }
    const recording = { events: await recorded, isWhole: end === 'whole' && this.#recorder.isComplete }
    const isEstimated = this.#isLetGo || this.#meter.hasUnread
    const letGo = isEstimated && metered !== null ? usageSoFar(metered, this.#output.tokens) : null
    return {
      end,
      usage: this.#meter.usage ?? letGo,
      isOwed: this.#isOwed,
      recording,
      responseHash: this.#hash.digest('hex'),
      isProvidersFault: this.#isProvidersFault,
      firstAt: this.#firstAt,
    }
  }

  /** Passes the next event on; returns undefined while there may be more. */
  async #step(): Promise<RelayedStream['end'] | undefined> {
    const piece = await this.#relay.stream.read()
    if (piece !== null && 'failure' in piece) {
      const { reason, isIdle = false } = piece.failure
      const ranOutOnCaller = reason === 'timeout' && !isIdle && (this.#hasWaited || this.#relay.sink.isGone)
      if (ranOutOnCaller || reason === 'too_large') return this.#letGo()
      this.#isProvidersFault = reason !== 'stopping'
      return 'cut'
    }
    // Some providers omit the blank line after their last event.
    const events = cutIntoEvents(this.#splitter, piece ?? BLANK_LINE)
    if (events === null) return this.#letGo()
    await this.#passOn(piece === null ? events.filter(({ data }) => data !== '') : events)
    if (this.#meter.isWhole) return 'whole'
    if (piece !== null) return undefined
    return this.#relay.metered === null || this.#meter.usage !== null ? 'whole' : 'silent'
  }

  async #passOn(events: readonly StreamEvent[]): Promise<void> {
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE_MAX) {
      if (at > 0) await nextTurn()
      const room = this.#write(events.slice(at, at + EVENTS_AT_ONCE_MAX))
      if (room === undefined) continue
      this.#hasWaited = true
      await room
    }
  }

  /** Passes events on in one write, but for those that the caller must not get. */
  #write(events: readonly StreamEvent[]): Promise<void> | undefined {
    const { sink, metered, reportedModel, clean } = this.#relay
    const accepted: StreamEvent[] = []
    const passed: StreamEvent[] = []
    for (const given of events) {
      // Anything after the last event is ignored.
      if (this.#meter.isWhole) break
      this.#meter.see(given)
      if (isDone(given.data) || posesAsOurs(given)) continue
      const costed = metered === null ? given : withCost(given, costSoFar(metered, this.#meter))
      const reported = renamed(costed, reportedModel)
      const event = saysError(reported) ? cleaned(reported, clean) : reported
      if (event === null) continue
      accepted.push(given)
      passed.push(event)
      if (metered !== null) this.#output.see(event.data)
      this.#hasContent ||= event.data !== '' && !sink.isGone
    }
    if (passed.length === 0) return undefined
    this.#recorder.add(bytesOf(passed))
    this.#hash.update(bytesOf(accepted))
    this.#firstAt ??= this.#deps.clock.elapsed()
    return sink.write(passed)
  }

  /** Returns true while a stream without its caller is read on: as long as its owner has places for such streams. */
  #mayReadOn(): boolean {
    this.#place ??= this.#deps.relays.abandoned.take(this.#relay.owner)
    if (typeof this.#place === 'function') return true
    this.#letGo()
    return false
  }

  /** Cuts the stream at a limit of the gateway: the caller owes what was produced. */
  #letGo(): 'cut' {
    this.#isLetGo = true
    this.#isOwed = this.#hasContent
    return 'cut'
  }
}

/** Returns the charge of the final usage; null if there is none yet. */
function costSoFar({ chargeOf }: MeteredStream, { usage }: Meter): Usdc | null {
  return usage === null ? null : chargeOf(usage)
}

/** Returns the estimated usage of a cut model stream: its prompt and the output so far, within its bound. */
function usageSoFar(metered: MeteredStream, output: number): Usage {
  const inputTokens = metered.promptTokens
  const outputTokens = Math.min(output, metered.maxOutputTokens)
  const uncached = { cacheReadTokens: 0, cacheWriteTokens: 0 }
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...uncached }
}

/** Replays a recorded stream, without its pauses. */
export async function replayStream(recording: Recording, sink: StreamSink, head: StreamHead): Promise<void> {
  const recorded = await unpackRecording(recording.events)
  sink.open(head)
  const splitter = createEventSplitter({ eventBytesMax: RECORDING_BYTES_MAX })
  for (let at = 0; at < recorded.length && !sink.isGone; at += REPLAYED_BYTES) {
    if (at > 0) await nextTurn()
    const events = splitter.push(recorded.subarray(at, at + REPLAYED_BYTES))
    if (events.length > 0) await sink.write(events)
  }
}

function renamed(event: StreamEvent, model: string | undefined): StreamEvent {
  return model === undefined ? event : eventWithModelName(event, model)
}

/** Returns an error event as the caller may see it; null if it is too long to search. */
function cleaned(event: StreamEvent, clean: Relay['clean']): StreamEvent | null {
  if (event.raw.length > ERROR_EVENT_BYTES_MAX) return null
  const text = event.raw.toString('utf8')
  const cleanText = clean(text)
  return cleanText === text ? event : readEvent(Buffer.from(cleanText))
}

/**
 * Returns true if an event could be mistaken for one of the gateway. Behind dropped events a byte order mark would be at
 * the start of what the client reads, and make another event than was seen here.
 */
function posesAsOurs({ name, raw }: StreamEvent): boolean {
  if (name === 'gateway' || startsWithMark(raw)) return true
  // Almost no event contains the word at all.
  return raw.includes('farebox') && /(?:^|[\r\n])\uFEFF?:\s*farebox/.test(raw.toString('utf8'))
}

/** Returns a meter for streams without usage, which looks only for the end marker that many of them have. */
function plainMeter(): Meter {
  let isWhole = false
  return {
    see({ data }) {
      isWhole ||= isDone(data)
    },
    usage: null,
    hasUnread: false,
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

/** Lets a finished stream close by itself, so that its connection can be reused. */
function seeOff(clock: Clock, stream: UpstreamStream): void {
  const ended = async () => {
    for (;;) {
      const piece = await stream.read()
      if (piece === null || 'failure' in piece) return
    }
  }
  void Promise.race([ended(), clock.pause(GOODBYE_MS_MAX)]).then(() => stream.cancel())
}
