import { z } from 'zod'
import { contentIn, stopsIn, TOOLS_MAX, TURNS_MAX, tokensIn, turnOf } from './ask-parts.ts'
import {
  type Ask,
  type Completion,
  type Dialect,
  type LlmEvent,
  parseBody,
  type Turn,
  textOf,
} from './dialect.ts'

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: contentIn.nullish(),
  tool_calls: z.array(z.looseObject({})).nullish(),
})
const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() }),
})
const body = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1).max(TURNS_MAX),
  n: z.literal(1, 'The sample returns one choice.').nullish(),
  max_tokens: tokensIn,
  max_completion_tokens: tokensIn,
  stop: stopsIn,
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).nullish() })
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).max(TOOLS_MAX).nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.looseObject({ function: z.looseObject({ name: z.string() }) }),
    ])
    .nullish(),
})

const ROLES: Record<z.output<typeof message>['role'], Turn['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** OpenAI Chat Completions, `POST /v1/chat/completions`. */
export const chatCompletions: Dialect = {
  path: '/v1/chat/completions',
  read,
  whole(completion) {
    const { ask, reply, id, createdAt } = completion
    const text = textOf(reply.pieces)
    const call = { id: `call_${id}`, type: 'function', function: { name: reply.toolName, arguments: text } }
    const message =
      reply.toolName === null
        ? { role: 'assistant', content: text, refusal: null, annotations: [] }
        : { role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [call] }
    return {
      id: `chatcmpl-${id}`,
      object: 'chat.completion',
      created: createdAt,
      model: ask.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(completion) }],
      usage: usageOf(completion),
      service_tier: 'default',
      system_fingerprint: null,
    }
  },
  events,
  error: ({ status, message, param }) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param,
      code: status === 404 ? 'not_found' : null,
    },
  }),
}

function read(given: unknown): Ask {
  const asked = parseBody(body, given)
  const { tool_choice: choice } = asked
  return {
    model: asked.model,
    turns: asked.messages.map(({ role, content, tool_calls }) =>
      turnOf(ROLES[role], content, tool_calls?.length ? JSON.stringify(tool_calls) : ''),
    ),
    tools: (asked.tools ?? []).map(tool => ({
      name: tool.function.name,
      schema: tool.function.parameters,
    })),
    toolChoice: typeof choice === 'object' && choice !== null ? choice.function : (choice ?? 'auto'),
    answerSchema: asked.response_format?.json_schema?.schema,
    tokensMax: asked.max_completion_tokens ?? asked.max_tokens ?? null,
    stops: asked.stop,
    isStream: asked.stream === true,
    includeUsage: asked.stream_options?.include_usage === true,
  }
}

function* events(completion: Completion): Generator<LlmEvent> {
  const { ask, reply, id, createdAt } = completion
  const chunk = (choices: object[], usage: object | null = null) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: createdAt,
    model: ask.model,
    service_tier: 'default',
    system_fingerprint: null,
    choices,
    ...(ask.includeUsage && { usage }),
  })
  const delta = (delta: object, tokens = 0, finish: string | null = null): LlmEvent => ({
    name: null,
    part: 'body',
    tokens,
    data: chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }]),
  })
  if (reply.toolName === null) {
    yield delta({ role: 'assistant', content: '', refusal: null })
    for (const { text, tokens } of reply.pieces) yield delta({ content: text }, tokens)
  } else {
    const call = { index: 0, id: `call_${id}`, type: 'function' }
    const head = { ...call, function: { name: reply.toolName, arguments: '' } }
    yield delta({ role: 'assistant', content: null, refusal: null, tool_calls: [head] })
    for (const { text, tokens } of reply.pieces)
      yield delta({ tool_calls: [{ index: 0, function: { arguments: text } }] }, tokens)
  }
  yield delta({}, 0, finishReason(completion))
  if (ask.includeUsage) yield { name: null, data: chunk([], usageOf(completion)), tokens: 0, part: 'usage' }
  yield { name: null, data: '[DONE]', tokens: 0, part: 'end' }
}

function finishReason({ reply }: Completion): string {
  if (reply.end === 'length') return 'length'
  return reply.toolName === null ? 'stop' : 'tool_calls'
}

const usageOf = ({ inputTokens, outputTokens }: Completion) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})
