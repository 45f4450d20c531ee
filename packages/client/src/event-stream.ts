import { GatewayError } from './errors.ts'
import { readEvents, type ServerEvent } from './events.ts'

/** Cost of a call. Amounts are decimal USDC; `usage` is null for calls that are not metered. */
export type Bill = {
  readonly invocationId: string
  readonly status: string
  readonly chargedUsdc: string
  readonly holdUsdc: string
  readonly releasedUsdc: string
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly totalTokens: number
    readonly cacheReadTokens?: number | undefined
    readonly cacheWriteTokens?: number | undefined
    /** Total stated by the provider, if it differs from the sum of input and output. */
    readonly statedTotalTokens?: number | undefined
  } | null
}

/** A streamed response. */
export type EventStream = AsyncIterable<ServerEvent> & {
  /** Response headers, such as `farebox-invocation-id` and `farebox-hold-usdc`. */
  readonly headers: Headers
  /** Cost of the call. Set just before the stream ends; null until then, and for failed calls. */
  readonly bill: Bill | null
}

/** Prefix of the gateway's comments in the streams of the compatible APIs (docs/compatible-apis.md). */
const BILL_MARK = 'farebox '
/** Event that carries the result of `POST /agent/invoke`. */
const RESULT_EVENT = 'gateway'

/**
 * Returns a response as a stream of events. A response that is not streamed becomes a single event.
 *
 * Iteration throws the GatewayError that ends a failed stream, and UNREACHABLE when the connection breaks.
 *
 * @param readEnd returns the error that an event carries, or null
 */
export function openStream(
  { body, headers }: Response,
  readEnd: (event: ServerEvent) => GatewayError | null,
): EventStream {
  if (body === null) throw new GatewayError('UNREADABLE', 'The answer is not a stream.')
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  let bill: Bill | null = null
  const onComment = (text: string) => {
    if (text.startsWith(BILL_MARK)) bill = readBill(text.slice(BILL_MARK.length)) ?? bill
  }

  async function* read(of: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
    const events = isStream ? readEvents(of, onComment) : onePiece(of)
    for await (const event of events) {
      const error = readEnd(event)
      if (error !== null) throw error
      if (event.event === RESULT_EVENT) bill = readBill(event.data) ?? bill
      yield event
    }
  }
  const events = read(body)
  return {
    headers,
    get bill() {
      return bill
    },
    [Symbol.asyncIterator]: () => events,
  }
}

async function* onePiece(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  yield { event: RESULT_EVENT, data: await new Response(body).text() }
}

/** Reads a bill, either from a comment or from the result of `POST /agent/invoke`; returns null for other text. */
function readBill(text: string): Bill | null {
  let reported: Partial<Bill> & { gateway?: { holdUsdc: string; releasedUsdc: string } }
  try {
    reported = JSON.parse(text)
  } catch {
    return null
  }
  const { invocationId, status, chargedUsdc, usage = null, gateway } = reported
  if (invocationId === undefined || status === undefined || chargedUsdc === undefined) return null
  const { holdUsdc = chargedUsdc, releasedUsdc = '0.000000' } = { ...reported, ...gateway }
  return { invocationId, status, chargedUsdc, holdUsdc, releasedUsdc, usage }
}
