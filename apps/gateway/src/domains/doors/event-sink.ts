import type { EventStream } from '../../http/event-stream.ts'
import type { Bill } from '../invocation/records/read-answer.ts'
import type { StreamEvent, StreamHead, StreamSink } from '../invocation/stream/stream-sink.ts'
import type { Failure } from './failure-rules.ts'
import type { ToldEvent } from './whole-answer-rules.ts'

/** How an API's streams end, and what in them is not for the caller. */
export type StreamGrammar = {
  /**
   * What an event is: `more`; `last`, the event by which clients know that all is there; `failed`, one by which they
   * know that it is not, and read no further; `unasked`, one that the caller did not ask for.
   */
  kindOf(event: StreamEvent): 'more' | 'last' | 'failed' | 'unasked'
  /** Written after a good end. */
  readonly endMark: string
  /** The event that tells of a failure. `last` is the data of the event before it. */
  failureEvent(failure: Failure, last: string): string
}

/** A stream in an API's own shape, which ends only once the money is settled. */
export type EventSink = StreamSink & {
  /**
   * Ends the stream: the bill as a comment, which clients do not see unless they look, and then the word by which
   * they know that all is there; or the failure.
   *
   * @param end.failure null when the stream is whole and paid
   */
  finish(end: { bill: Bill | null; failure: Failure | null }): void
  /** What was told when it opened; null when it never did. */
  readonly head: StreamHead | null
}

/**
 * Passes a provider's events on as they are, but for the last one, which waits for {@link EventSink.finish}: clients
 * stop reading at it, and a stream must never look complete when its money is not.
 *
 * @param onOpen runs while headers can still be set
 */
export function createEventSink(
  stream: EventStream,
  grammar: StreamGrammar,
  onOpen: (head: StreamHead) => void,
): EventSink {
  let head: StreamHead | null = null
  let keptBack: { text: string; isFailure: boolean } | null = null
  let latest = ''
  // What the provider itself says of a failure says most.
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
    write(event) {
      const kind = grammar.kindOf(event)
      if (kind === 'unasked') return undefined
      if (kind !== 'more') {
        keptBack = { text: event.raw.toString('utf8'), isFailure: kind === 'failed' }
        return undefined
      }
      if (event.data !== '') latest = event.data
      return stream.write(event.raw)
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

/** The type of an event of APIs that write it into the data as well: some providers leave the name out. */
export function typeOf({ name, data }: StreamEvent): string {
  return name !== '' ? name : (TYPE_MEMBER.exec(data)?.[1] ?? '')
}

/** An event of our own making, as a provider would send it. */
export function eventOf({ name, message }: ToldEvent): StreamEvent {
  const data = JSON.stringify(message)
  return { raw: Buffer.from(`${name === '' ? '' : `event: ${name}\n`}data: ${data}\n\n`), name, data }
}
