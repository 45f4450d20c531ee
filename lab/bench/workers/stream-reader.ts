/** The gateway's own events, as far as the bench holds streams to them. */
type GatewayEvent = {
  readonly invocationId?: string
  readonly status?: string
  readonly chargedUsdc?: string
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number }
}
type ErrorEvent = {
  readonly detail?: { readonly reason?: string; readonly status?: string; readonly invocationId?: string }
}

/** What was read of a stream so far. */
export type StreamReader = {
  push(text: string): void
  /** Chunks of the model, as long as they came in order. */
  readonly chunks: number
  readonly isInOrder: boolean
  readonly gateway: GatewayEvent | null
  readonly error: ErrorEvent | null
  /** Whether `[DONE]` was the last thing said. */
  readonly isDone: boolean
}

const NUMBER = '"n":'
const TIME = '"at":'

/**
 * Reads the bench's own streams, and only those: LF line ends, chunks with their number and time of writing as last
 * members. No chunk is parsed as JSON; the callers share their processor with what they measure.
 *
 * @param on.first called at the first whole event
 * @param on.chunk called with the time of writing of every chunk
 */
export function createStreamReader(on: { first(): void; chunk(at: number): void }): StreamReader {
  let rest = ''
  let events = 0
  let chunks = 0
  let isInOrder = true
  let isDone = false
  let gateway: GatewayEvent | null = null
  let error: ErrorEvent | null = null

  const takeChunk = (text: string, from: number, end: number): void => {
    const at = text.lastIndexOf(TIME, end)
    // The chunks that end a stream have no number.
    if (at < from) return
    const number = text.lastIndexOf(NUMBER, at)
    if (Number(text.slice(number + NUMBER.length, at - 1)) !== chunks) isInOrder = false
    chunks += 1
    on.chunk(Number(text.slice(at + TIME.length, end - 1)))
  }
  const take = (text: string, from: number, end: number): void => {
    if (events === 0) on.first()
    events += 1
    isDone = text.startsWith('data: [DONE]', from)
    if (text.startsWith('data: {', from)) takeChunk(text, from, end)
    else if (text.startsWith('event: gateway\n', from))
      gateway = dataOf(text.slice(from, end)) as GatewayEvent
    else if (text.startsWith('event: error\n', from)) error = dataOf(text.slice(from, end)) as ErrorEvent
  }

  return {
    push(piece) {
      const text = rest === '' ? piece : rest + piece
      let from = 0
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', from)) {
        take(text, from, end)
        from = end + 2
      }
      rest = text.slice(from)
    },
    get chunks() {
      return chunks
    },
    get isInOrder() {
      return isInOrder
    },
    get gateway() {
      return gateway
    },
    get error() {
      return error
    },
    get isDone() {
      return isDone && rest === ''
    },
  }
}

function dataOf(event: string): unknown {
  return JSON.parse(
    event
      .split('\n')
      .flatMap(line => (line.startsWith('data: ') ? [line.slice(6)] : []))
      .join('\n'),
  )
}
