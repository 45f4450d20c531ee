import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type Respond, type SeenCall, startProvider, type TestProvider } from '../provider/provider.ts'
import { until } from '../until.ts'
import { type LlmMarket, registerModel } from './llm-market.ts'

/** The events of a streamed chat completion. Its usage costs 39 micro-USDC on the market. */
export const EVENTS = {
  chunk: 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
  stop: 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  usage: 'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}\n\n',
  done: 'data: [DONE]\n\n',
} as const

/** A complete stream, and its charge in micro-USDC. */
export const WHOLE = EVENTS.chunk + EVENTS.stop + EVENTS.usage + EVENTS.done
export const CHARGE = 39n
/** The events of that stream as its caller gets them before the bill: the usage states its cost. */
export const RECEIVED =
  EVENTS.chunk +
  EVENTS.stop +
  EVENTS.usage.replace('"total_tokens":14}', '"total_tokens":14,"cost":0.000039}')

/** A model that writes given bytes. */
export type RawModel = TestProvider & {
  readonly service: string
  /** Started answers, in order of arrival. */
  readonly open: readonly OpenAnswer[]
  /** Starts every answer from now on with these bytes and leaves it open. */
  begin(text?: string): void
  /** Waits until `count` answers have started since the last `begin`. */
  untilOpen(count: number): Promise<void>
}

/** An open answer. */
export type OpenAnswer = { readonly call: SeenCall; readonly response: ServerResponse }

/**
 * Starts one and registers it with a market as a service of OpenAI's dialect.
 *
 * @param manifestOf more of its manifest, which may need its URL
 */
export async function startRawModel(
  market: Pick<LlmMarket, 'url' | 'provider'>,
  manifestOf: (url: string) => Record<string, unknown> = () => ({}),
): Promise<RawModel> {
  const provider = await startProvider()
  let open: OpenAnswer[] = []
  const url = `${provider.url}chat`
  const service = await registerModel(market, market.provider, { url, manifest: manifestOf(url) })
  return {
    ...provider,
    service,
    get open() {
      return open
    },
    begin(text = EVENTS.chunk) {
      open = []
      provider.respondWith((call, response) => {
        startEvents(response)
        response.write(text)
        open.push({ call, response })
      })
    },
    untilOpen: count => until(`${count} answers have begun`, () => open.length === count),
  }
}

/** Starts an answer of server-sent events. */
export function startEvents(response: ServerResponse): void {
  response.on('error', () => undefined)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

/** Sends events and ends the answer. */
export const sends =
  (text: string): Respond =>
  (_, response) => {
    startEvents(response)
    response.end(text)
  }

/** Sends events, then closes the connection without ending the answer. */
export const breaksAfter =
  (text: string): Respond =>
  async (_, response) => {
    startEvents(response)
    await new Promise(done => response.write(text, done))
    response.socket?.destroySoon()
  }

/** Waits until the peer has closed an answer. */
export async function closed({ response }: OpenAnswer): Promise<void> {
  if (!response.destroyed) await once(response, 'close')
}
