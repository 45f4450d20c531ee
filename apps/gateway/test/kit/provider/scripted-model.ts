import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../network/loopback.ts'

/** Cost and text of a scripted turn of an agent. */
export type Turn = { readonly turn: number; readonly chunks: number; readonly paceMs: number }

/** Tokens of a turn, as the model reports them. */
export type Tokens = { uncached: number; read: number; written: number; output: number }

/** The mark by which the model finds the script of a turn in a request. */
export const markOf = ({ turn, chunks, paceMs }: Turn): string => `turn-${turn}-${chunks}-${paceMs}`
const MARK = /turn-(\d+)-(\d+)-(\d+)/

/** Returns the tokens of a turn. */
export const tokensOf = ({ turn, chunks }: Turn): Tokens => ({
  uncached: 50 + (turn % 13),
  read: turn % 7 === 0 ? 0 : 6_000 + (turn % 500),
  written: turn % 7 === 0 ? 6_000 : turn % 300,
  output: chunks + 1,
})

/** Returns the arguments of the tools that a turn calls, in parallel. */
export const toolsOf = ({ turn }: Turn): string[] =>
  turn % 2 === 0 ? [`{"path":"src/${turn}.ts"}`, `{"path":"test/${turn}.ts"}`] : []

/** A model in this process that answers by script, as Anthropic's and as OpenAI's API stream. */
export type ScriptedModel = {
  readonly url: string
  /** How often each turn was asked for. */
  readonly asked: ReadonlyMap<number, number>
  stop(): Promise<void>
}

/** Starts one on a free port. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const asked = new Map<number, number>()
  const server = createServer(async (request, response) => {
    response.on('error', () => response.destroy())
    await answer(request, response, asked).catch(() => response.destroy())
  })
  const { origin: url, stop } = await listen(server)
  return { url, asked, stop }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  asked: Map<number, number>,
): Promise<void> {
  const [, turn, chunks, paceMs] = (MARK.exec(await text(request)) ?? []).map(Number)
  if (turn === undefined || chunks === undefined || paceMs === undefined) {
    response.end('{}')
    return
  }
  const script = { turn, chunks, paceMs }
  if (request.url?.endsWith('/count_tokens') === true) {
    const { uncached, read, written } = tokensOf(script)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ input_tokens: uncached + read + written }))
    return
  }
  asked.set(turn, (asked.get(turn) ?? 0) + 1)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = request.url === '/v1/messages' ? messageEvents(script) : chatEvents(script)
  for (const event of events) {
    response.write(event)
    if (event.includes('a word')) await pause(paceMs)
  }
  response.end()
}

function* messageEvents(script: Turn): Generator<string> {
  const event = (type: string, members: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
  const { uncached, read, written, output } = tokensOf(script)
  const input = {
    input_tokens: uncached,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
  const message = {
    id: `msg_${script.turn}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
  }
  yield event('message_start', {
    message: { ...message, stop_reason: null, usage: { ...input, output_tokens: 1 } },
  })
  const block = (index: number, content_block: object, deltas: object[]) => [
    event('content_block_start', { index, content_block }),
    ...deltas.map(delta => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const words = Array.from({ length: script.chunks }, () => ({ type: 'text_delta', text: 'a word ' }))
  yield* block(0, { type: 'text', text: '' }, words)
  const tools = toolsOf(script)
  for (const [index, partial_json] of tools.entries()) {
    const tool = { type: 'tool_use', id: `toolu_${script.turn}_${index}`, name: 'read_file', input: {} }
    yield* block(1 + index, tool, [{ type: 'input_json_delta', partial_json }])
  }
  const stop_reason = tools.length > 0 ? 'tool_use' : 'end_turn'
  yield event('message_delta', { delta: { stop_reason }, usage: { output_tokens: output } })
  yield event('message_stop', {})
}

function* chatEvents(script: Turn): Generator<string> {
  const chunk = (choices: object[], usage: object | null = null) =>
    `data: ${JSON.stringify({ id: `c_${script.turn}`, object: 'chat.completion.chunk', choices, usage })}\n\n`
  const choice = (delta: object, finish_reason: string | null = null) => [{ index: 0, delta, finish_reason }]
  const { uncached, read, written, output } = tokensOf(script)
  for (let word = 0; word < script.chunks; word += 1) yield chunk(choice({ content: 'a word ' }))
  const tools = toolsOf(script)
  for (const [index, args] of tools.entries()) {
    const call = { index, id: `call_${script.turn}_${index}`, type: 'function' }
    yield chunk(choice({ tool_calls: [{ ...call, function: { name: 'read_file', arguments: args } }] }))
  }
  yield chunk(choice({}, tools.length > 0 ? 'tool_calls' : 'stop'))
  const input = uncached + read + written
  const details = { cached_tokens: read, cache_write_tokens: written }
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  yield chunk([], { ...usage, prompt_tokens_details: details })
  yield 'data: [DONE]\n\n'
}
