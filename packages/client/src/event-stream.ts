import { GatewayError } from './errors.ts'
import { readEvents, type ServerEvent } from './events.ts'

/** What a call cost. Amounts in decimal USDC; `usage` of metered calls only. */
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
    /** The total that the provider stated, when it is not input and output together. */
    readonly statedTotalTokens?: number | undefined
  } | null
}

/** An answer that comes piece by piece. */
export type EventStream = AsyncIterable<ServerEvent> & {
  /** Of the answer: `farebox-invocation-id`, `farebox-hold-usdc` and the like. */
  readonly headers: Headers
  /** What the call cost, once the gateway has told it: right before the end. Null before, and of what failed. */
  readonly bill: Bill | null
}

/** How the gateway signs its comments in the streams of its doors (docs/doors.md). */
const BILL_MARK = 'farebox '
/** The event in which `POST /agent/invoke` tells its result. */
const RESULT_EVENT = 'gateway'

/**
 * Reads an answer as a stream. One in a single piece, of a service that does not stream, is a single event.
 *
 * While it is read it throws GatewayError: what a stream that went wrong ends with, and UNREACHABLE when it breaks off.
 *
 * @param readEnd the error that an event tells of, or null
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

/** The bill of a door, which is one already, or of a result, where it stands beside the provider's answer. */
function readBill(text: string): Bill | null {
  let told: Partial<Bill> & { gateway?: { holdUsdc: string; releasedUsdc: string } }
  try {
    told = JSON.parse(text)
  } catch {
    return null
  }
  const { invocationId, status, chargedUsdc, usage = null, gateway } = told
  if (invocationId === undefined || status === undefined || chargedUsdc === undefined) return null
  const { holdUsdc = chargedUsdc, releasedUsdc = '0.000000' } = { ...told, ...gateway }
  return { invocationId, status, chargedUsdc, holdUsdc, releasedUsdc, usage }
}
