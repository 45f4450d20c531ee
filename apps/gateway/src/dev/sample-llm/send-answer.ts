import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { LlmEvent } from './dialect.ts'
import { type Speed, startPace } from './pace.ts'

/** Aborts if the caller disconnects before the end of the answer. */
export function hangUpSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

/** Serialises an event. */
export function eventText({ name, data }: Pick<LlmEvent, 'name' | 'data'>): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`
}

/**
 * Streams events at the given speed, no faster than the caller reads.
 *
 * @throws AbortError if the caller disconnects
 */
export async function sendEvents(
  response: ServerResponse,
  events: Iterable<LlmEvent>,
  speed: Speed,
): Promise<void> {
  const signal = hangUpSignal(response)
  const pace = startPace(speed, signal)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.flushHeaders()
  for (const event of events) {
    await pace(event.tokens)
    await write(response, eventText(event), signal)
  }
  response.end()
}

/** Writes; resolves when there is room for more. */
export async function write(
  response: ServerResponse,
  data: string | Buffer,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  if (!response.write(data)) await once(response, 'drain', { signal })
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
