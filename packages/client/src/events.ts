import { GatewayError } from './errors.ts'

/** A server-sent event. `data` is unparsed: usually JSON, `[DONE]` at the end of OpenAI streams. */
export type ServerEvent = { readonly event: string; readonly data: string }

/** Maximum length of an event, in characters. */
const EVENT_LENGTH_MAX = 8_388_608

/**
 * Yields the events of a stream as they arrive (WHATWG, server-sent events). Skips events without data.
 *
 * @param onComment called for each comment, without its leading colon
 * @throws GatewayError UNREACHABLE when the connection breaks
 * @throws Error when an event exceeds `EVENT_LENGTH_MAX`
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onComment?: (text: string) => void,
): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(breakOff)
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      if (rest.length > EVENT_LENGTH_MAX) throw new Error('An event of the stream is too long.')
      for (const block of blocks) {
        const event = readEvent(block, onComment)
        if (event !== null) yield event
      }
      if (done) return
    }
  } finally {
    // Cancels the request when the consumer stops iterating.
    await reader.cancel().catch(() => undefined)
  }
}

/** Wraps a lost connection, which `fetch` reports as a TypeError. An abort by the caller is rethrown as it is. */
function breakOff(cause: unknown): never {
  throw cause instanceof TypeError
    ? new GatewayError('UNREACHABLE', 'The stream broke off.', { cause })
    : cause
}

function readEvent(block: string, onComment?: (text: string) => void): ServerEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === '' && line !== '') onComment?.(value)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { event, data: data.join('\n') }
}
