import { z } from 'zod'
import { contentIn, formatIn, schemaOf, stopsIn, TOOLS_MAX, TURNS_MAX, turnOf } from './ask-parts.ts'
import { type Ask, type Completion, type Dialect, type LlmEvent, parseBody, textOf } from './dialect.ts'

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  content: contentIn.nullish(),
})
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block).max(1_000)], 'Must be text or a list of blocks.'),
})
const body = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1).max(TURNS_MAX),
  system: contentIn.nullish(),
  stop_sequences: stopsIn,
  output_config: z.looseObject({ format: formatIn }).nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(z.looseObject({ name: z.string().min(1), input_schema: z.unknown().optional() }))
    .max(TOOLS_MAX)
    .nullish(),
  tool_choice: z
    .looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']), name: z.string().optional() })
    .nullish(),
})
type Block = z.output<typeof block>

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
}

/** Anthropic Messages, `POST /v1/messages`. */
export const messages: Dialect = {
  path: '/v1/messages',
  read,
  whole: completion => {
    const { reply } = completion
    const text = textOf(reply.pieces)
    const content =
      reply.toolName === null
        ? { type: 'text', text }
        : { ...toolBlock(completion), input: reply.end === 'length' ? {} : JSON.parse(text) }
    return { ...frame(completion, [content]), stop_reason: stopReason(completion), stop_sequence: reply.stop }
  },
  events,
  error: ({ status, message }) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
}

function read(given: unknown): Ask {
  const asked = parseBody(body, given)
  const { tool_choice: choice } = asked
  return {
    model: asked.model,
    turns: [
      ...(asked.system == null ? [] : [turnOf('system', asked.system)]),
      ...asked.messages.map(({ role, content }) => {
        if (typeof content === 'string') return turnOf(role, content)
        const results = content.filter(({ type }) => type === 'tool_result')
        const texts = content.flatMap(textsOf)
        const otherParts = content.filter(part => textsOf(part).length === 0).length
        return { role: results.length > 0 ? 'tool' : role, text: texts.join('\n'), otherParts } as const
      }),
    ],
    tools: (asked.tools ?? []).map(tool => ({ name: tool.name, schema: tool.input_schema })),
    toolChoice: choiceOf(choice),
    answerSchema: schemaOf(asked.output_config?.format),
    tokensMax: asked.max_tokens,
    stops: asked.stop_sequences,
    isStream: asked.stream === true,
    includeUsage: true,
  }
}

/** Anthropic's count of the input tokens of a message, `POST /v1/messages/count_tokens`. */
export const messageTokens: Dialect = {
  path: '/v1/messages/count_tokens',
  read: given => ({ ...read({ ...(given as object), max_tokens: 1 }), isStream: false, isSilent: true }),
  whole: ({ inputTokens }) => ({ input_tokens: inputTokens }),
  events: () => [],
  error: messages.error,
}

function textsOf(part: Block): string[] {
  if (part.text !== undefined) return [part.text]
  if (part.type === 'tool_use') return [`${part.name ?? ''} ${JSON.stringify(part.input ?? {})}`]
  return part.type === 'tool_result' ? [turnOf('tool', part.content).text] : []
}

function choiceOf(choice: z.output<typeof body>['tool_choice']): Ask['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name ?? '' }
  if (choice?.type === 'any') return 'required'
  return choice?.type === 'none' ? 'none' : 'auto'
}

function* events(completion: Completion): Generator<LlmEvent> {
  const { reply } = completion
  const event = (
    data: { type: string; [member: string]: unknown },
    more: Partial<LlmEvent> = {},
  ): LlmEvent => ({ name: data.type, data, tokens: 0, part: 'body', ...more })
  const message = frame(completion, [])
  // As in the real API's first event: the prompt, and the first output token.
  const usage = { ...message.usage, output_tokens: 1 }
  yield event({
    type: 'message_start',
    message: { ...message, stop_reason: null, stop_sequence: null, usage },
  })
  const isText = reply.toolName === null
  const block = isText ? { type: 'text', text: '' } : { ...toolBlock(completion), input: {} }
  yield event({ type: 'content_block_start', index: 0, content_block: block })
  yield event({ type: 'ping' })
  for (const { text, tokens } of reply.pieces) {
    const delta = isText ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: text }
    yield event({ type: 'content_block_delta', index: 0, delta }, { tokens })
  }
  yield event({ type: 'content_block_stop', index: 0 })
  const delta = {
    stop_reason: stopReason(completion),
    stop_sequence: reply.stop,
    stop_details: null,
    container: null,
  }
  yield event({ type: 'message_delta', delta, usage: usageOf(completion) }, { part: 'usage' })
  yield event({ type: 'message_stop' }, { part: 'end' })
}

const frame = (completion: Completion, content: object[]) => ({
  id: `msg_${completion.id}`,
  type: 'message',
  role: 'assistant',
  model: completion.ask.model,
  content,
  container: null,
  stop_details: null,
  diagnostics: null,
  usage: { ...usageOf(completion), cache_creation: null, service_tier: 'standard' },
})

const toolBlock = ({ id, reply }: Completion) => ({
  type: 'tool_use',
  id: `toolu_${id}`,
  name: reply.toolName,
  caller: { type: 'direct' },
})

function stopReason({ reply }: Completion): string {
  if (reply.end === 'length') return 'max_tokens'
  if (reply.end === 'stop') return 'stop_sequence'
  return reply.toolName === null ? 'end_turn' : 'tool_use'
}

const usageOf = ({ inputTokens, outputTokens }: Completion) => ({
  input_tokens: inputTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: outputTokens,
  server_tool_use: null,
})
