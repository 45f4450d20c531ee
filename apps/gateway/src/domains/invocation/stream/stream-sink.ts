import type { Rate } from '../../credentials/draw-budgets.ts'

/** Where the events of a streamed call go: the caller's connection, in the format of its API. */
export type StreamSink = {
  /**
   * Starts the answer; called once, when the provider has begun a good one. An error before that is answered like
   * any other.
   */
  open(head: StreamHead): void
  /**
   * Passes an event on, whole and as the provider sent it, blank line included.
   *
   * @returns undefined when there is room for the next, else a promise of it. Once the caller is gone, nothing
   *   happens any more.
   */
  write(event: StreamEvent): Promise<void> | undefined
  /** Whether the caller has left, or takes nothing any more. */
  readonly isGone: boolean
}

/** What is known of a streamed call when it starts. */
export type StreamHead = {
  readonly invocationId: string
  /** Decimal USDC. */
  readonly holdUsdc: string
  /** The stream is a recorded one. */
  readonly isReplay: boolean
  /** How long the caller may hold the provider up in all, by not taking what is written, in ms; absent: for ever. */
  readonly patienceMs?: number
  /** What the call was counted at; null when a lost COMMIT counted it. */
  readonly rate: Rate | null
}

/** A server-sent event (WHATWG HTML, 9.2). */
export type StreamEvent = {
  /** Its bytes as they came, with the blank line that ends it. */
  readonly raw: Buffer
  /** Its type; empty when it has none. */
  readonly name: string
  /** Its data, lines joined. */
  readonly data: string
}
