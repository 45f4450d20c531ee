import type { Rate } from '../../credentials/draw-budgets.ts'

/** Receiver of the events of a streamed call: the caller's connection, in the format of its API. */
export type StreamSink = {
  /**
   * Starts the answer; called once, when the provider has begun a successful one. Earlier errors are ordinary
   * responses.
   */
  open(head: StreamHead): void
  /**
   * Passes complete events on, as sent by the provider, including their blank lines.
   *
   * @returns undefined if there is room for more, otherwise a promise of it. Does nothing once the caller is gone
   */
  write(events: readonly StreamEvent[]): Promise<void> | undefined
  /** True if the caller has left or stopped reading. */
  readonly isGone: boolean
}

/** Facts known at the start of a streamed call. */
export type StreamHead = {
  readonly invocationId: string
  /** Decimal USDC. */
  readonly holdUsdc: string
  /** True for a recorded stream. */
  readonly isReplay: boolean
  /** Total time that the caller may block the provider by not reading, in ms; absent: unlimited. */
  readonly patienceMs?: number
  /** Rate of the call; null if a lost COMMIT counted it. */
  readonly rate: Rate | null
}

/** A server-sent event (WHATWG HTML, 9.2). */
export type StreamEvent = {
  /** Its bytes as received, including its final blank line. */
  readonly raw: Buffer
  /** Its type; may be empty. */
  readonly name: string
  /** Its data, lines joined. */
  readonly data: string
}

/** Returns the bytes of events one after the other. */
export function bytesOf(events: readonly StreamEvent[]): Buffer {
  return Buffer.concat(events.map(({ raw }) => raw))
}
