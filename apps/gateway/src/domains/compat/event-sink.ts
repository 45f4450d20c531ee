import type { EventStream } from '../../http/event-stream.ts'
import type { Bill } from '../invocation/records/read-answer.ts'
import {
  bytesOf,
  type StreamEvent,
  type StreamHead,
  type StreamSink,
} from '../invocation/stream/stream-sink.ts'
import type { Failure } from './failure-rules.ts'
import type { ApiStreamEvent } from './whole-answer-rules.ts'

/** Ends of an API's streams, and the events that callers must not receive. */
export type StreamGrammar = {
  /**
   * Classifies an event: `more`; `last`, by which clients know that the stream is complete; `failed`, by which they
   * know that it has failed, and stop reading; `unasked`, which the caller did not request.
   */
  kindOf(event: StreamEvent): 'more' | 'last' | 'failed' | 'unasked'
  /** Written after a successful end. */
  readonly endMark: string
  /** Returns the event for a failure. `last` is the data of the previous event. */
  failureEvent(failure: Failure, last: string): string
}

/** A stream in the format of an API, which ends only after the call is settled. */
export type EventSink = StreamSink & {
  /**
   * Ends the stream: writes the bill as a comment, which most clients ignore, then the event that completes the stream,
   * or the failure.
   *
   * @param end.failure null if the stream is complete and paid
   */
  finish(end: { bill: Bill | null; failure: Failure | null }): void
  /** Arguments of `open`; null if the stream was never opened. */
  readonly head: StreamHead | null
}

/**
 * Returns a sink that forwards a provider's events unchanged, except for the last one, which {@link EventSink.finish}
 * writes: clients stop reading at it, and a stream must not look complete before its call is settled.
 *
 * @param onOpen called while headers can still be set
 */
export function createEventSink(
  stream: EventStream,
  grammar: StreamGrammar,
  onOpen: (head: StreamHead) => void,
): EventSink {
  let head: StreamHead | null = null
  let keptBack: { text: string; isFailure: boolean } | null = null
  let latest = ''
  // The provider's own error event is the most specific.
  const lastWord = (failure: Failure | null): string => {
    if (keptBack?.isFailure === true) return keptBack.text
    return failure === null ? (keptBack?.text ?? '') + grammar.endMark : grammar.failureEvent(failure, latest)
  }

  return {
    open(given) {
      head = given
      onOpen(given)
      stream.open(
        {
          'farebox-invocation-id': given.invocationId,
          'farebox-hold-usdc': given.holdUsdc,
          ...(given.isReplay && { 'idempotent-replayed': 'true' }),
        },
        given.patienceMs,
      )
    },
    write(events) {
      const passed = events.filter(event => {
        const kind = grammar.kindOf(event)
        if (kind === 'last' || kind === 'failed')
          keptBack = { text: event.raw.toString('utf8'), isFailure: kind === 'failed' }
        if (kind === 'more' && event.data !== '') latest = event.data
        return kind === 'more'
      })
      return passed.length === 0 ? undefined : stream.write(bytesOf(passed))
    },
    finish({ bill, failure }) {
      const account = bill === null ? '' : `: farebox ${JSON.stringify(bill)}\n\n`
      stream.end(account + lastWord(failure))
    },
    get isGone() {
      return stream.isGone
    },
    get head() {
      return head
    },
  }
}

const TYPE_MEMBER = /^\s*\{\s*"type"\s*:\s*"([\w.]{1,100})"/

/** Returns the type of an event, from its name or else from its data, as some providers omit the name. */
export function typeOf({ name, data }: StreamEvent): string {
  return name !== '' ? name : (TYPE_MEMBER.exec(data)?.[1] ?? '')
}

/** Returns an event of the gateway in the form of a provider's. */
export function eventOf({ name, message }: ApiStreamEvent): StreamEvent {
  const data = JSON.stringify(message)
  return { raw: Buffer.from(`${name === '' ? '' : `event: ${name}\n`}data: ${data}\n\n`), name, data }
}
