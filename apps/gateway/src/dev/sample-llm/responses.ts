import { z } from 'zod'
import { contentIn, formatIn, schemaOf, TOOLS_MAX, TURNS_MAX, tokensIn, turnOf } from './ask-parts.ts'
import { chatCompletions } from './chat-completions.ts'
import {
  type Ask,
  type Completion,
  type Dialect,
  type LlmEvent,
  parseBody,
  Refusal,
  type Turn,
  textOf,
} from './dialect.ts'

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: contentIn.nullish(),
  output: contentIn.nullish(),
})
const tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
})
const body = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1).max(TURNS_MAX)], 'Must be text or a list of items.'),
  instructions: z.string().nullish(),
  max_output_tokens: tokensIn,
  previous_response_id: z.string().nullish(),
  text: z.looseObject({ format: formatIn }).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(tool).max(TOOLS_MAX).nullish(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), z.looseObject({ name: z.string() })]).nullish(),
})
type Item = z.output<typeof item>

/** OpenAI Responses, `POST /v1/responses`. */
export const responses: Dialect = {
  path: '/v1/responses',
  read,
  whole: completion => responseOf(completion, 'end'),
  events,
  error: chatCompletions.error,
}

function read(given: unknown): Ask {
  const asked = parseBody(body, given)
  const { tool_choice: choice, input } = asked
  if (asked.previous_response_id != null)
    throw new Refusal(400, 'The sample stores no responses.', 'previous_response_id')
  return {
    model: asked.model,
    turns: [
      ...(asked.instructions == null ? [] : [turnOf('system', asked.instructions)]),
      ...(typeof input === 'string' ? [turnOf('user', input)] : input.map(turnOfItem)),
    ],
    tools: (asked.tools ?? []).flatMap(({ name, parameters }) =>
      name === undefined ? [] : [{ name, schema: parameters }],
    ),
    toolChoice: typeof choice === 'object' && choice !== null ? { name: choice.name } : (choice ?? 'auto'),
    answerSchema: schemaOf(asked.text?.format),
    tokensMax: asked.max_output_tokens ?? null,
    stops: [],
    isStream: asked.stream === true,
    includeUsage: true,
  }
}

function turnOfItem(item: Item): Turn {
  if (item.type === 'function_call_output') return turnOf('tool', item.output)
  if (item.role === undefined) return turnOf('assistant', null, JSON.stringify(item))
  return turnOf(item.role === 'developer' ? 'system' : item.role, item.content)
}

function* events(completion: Completion): Generator<LlmEvent> {
  const { reply, id } = completion
  let number = 0
  const event = (type: string, data: object, more: Partial<LlmEvent> = {}): LlmEvent => ({
    name: type,
    tokens: 0,
    part: 'body',
    data: { type, ...data, sequence_number: number++ },
    ...more,
  })
  const start = responseOf(completion, 'start')
  yield event('response.created', { response: start })
  yield event('response.in_progress', { response: start })
  yield event('response.output_item.added', { output_index: 0, item: itemOf(completion, 'start') })
  const isText = reply.toolName === null
  const at = isText
    ? { item_id: `msg_${id}`, output_index: 0, content_index: 0 }
    : { item_id: `fc_${id}`, output_index: 0 }
  const text = textOf(reply.pieces)
  if (isText) {
    yield event('response.content_part.added', { ...at, part: textPart('') })
    for (const piece of reply.pieces) {
      const delta = { ...at, delta: piece.text, logprobs: [] }
      yield event('response.output_text.delta', delta, { tokens: piece.tokens })
    }
    yield event('response.output_text.done', { ...at, text, logprobs: [] })
    yield event('response.content_part.done', { ...at, part: textPart(text) })
  } else {
    for (const piece of reply.pieces) {
      const delta = { ...at, delta: piece.text }
      yield event('response.function_call_arguments.delta', delta, { tokens: piece.tokens })
    }
    yield event('response.function_call_arguments.done', { ...at, name: reply.toolName, arguments: text })
  }
  yield event('response.output_item.done', { output_index: 0, item: itemOf(completion, 'end') })
  const last = reply.end === 'length' ? 'response.incomplete' : 'response.completed'
  yield event(last, { response: responseOf(completion, 'end') }, { part: 'usage' })
}

/** Returns the response at the start of its stream or when it is done. */
function responseOf(completion: Completion, when: 'start' | 'end'): object {
  const { ask, reply, id, createdAt, inputTokens, outputTokens } = completion
  const isCut = reply.end === 'length'
  const atEnd = {
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: [itemOf(completion, 'end')],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  }
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: createdAt,
    model: ask.model,
    error: null,
    instructions: null,
    metadata: {},
    previous_response_id: null,
    store: false,
    user: null,
    temperature: 1,
    top_p: 1,
    parallel_tool_calls: true,
    truncation: 'disabled',
    max_output_tokens: ask.tokensMax,
    reasoning: { effort: null, summary: null },
    text: { format: { type: 'text' } },
    tool_choice: choiceOf(ask),
    tools: ask.tools.map(({ name, schema }) => ({
      type: 'function',
      name,
      parameters: schema,
      strict: false,
    })),
    ...(when === 'end'
      ? atEnd
      : { status: 'in_progress', incomplete_details: null, output: [], usage: null }),
  }
}

/** Returns the only output item. */
function itemOf({ reply, id }: Completion, when: 'start' | 'end'): object {
  const done = reply.end === 'length' ? 'incomplete' : 'completed'
  const status = when === 'start' ? 'in_progress' : done
  const text = when === 'start' ? '' : textOf(reply.pieces)
  if (reply.toolName !== null)
    return {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: `call_${id}`,
      name: reply.toolName,
      arguments: text,
      status,
    }
  const content = when === 'start' ? [] : [textPart(text)]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status, content }
}

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

function choiceOf({ toolChoice }: Ask): string | object {
  return typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: toolChoice.name }
}
