import { GatewayError } from './errors.ts'

/** A server-sent event. `data` is as sent: JSON for most, `[DONE]` at the end of OpenAI's. */
export type ServerEvent = { readonly event: string; readonly data: string }

/** Longest event that is kept while it arrives, in characters. */
const EVENT_LENGTH_MAX = 8_388_608

/**
 * Reads the events of a stream as they come (WHATWG, server-sent events). Empty events are left out.
 *
 * @param onComment is told of each comment when it comes, without its colon
 * @throws GatewayError UNREACHABLE when the stream breaks off
 * @throws Error when an event grows past any sense
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
    // Whoever stops listening also hangs up.
    await reader.cancel().catch(() => undefined)
  }
}

/** `fetch` tells of a lost connection by a TypeError; a caller's own abort arrives as it is. */
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
