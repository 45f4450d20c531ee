import { z } from 'zod'
import { stopsIn, tokensIn, turnOf } from './ask-parts.ts'
import { chatCompletions } from './chat-completions.ts'
import { type Completion, type Dialect, type LlmEvent, parseBody, textOf } from './dialect.ts'

/** Tokens of an answer whose caller sets no limit, as OpenAI has it. */
const TOKENS_DEFAULT = 16

const body = z.looseObject({
  model: z.string().min(1),
  prompt: z.string('The sample takes one text.'),
  n: z.literal(1, 'The sample returns one choice.').nullish(),
  max_tokens: tokensIn,
  stop: stopsIn,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

/** OpenAI Completions, `POST /v1/completions`. */
export const completions: Dialect = {
  path: '/v1/completions',
  read(given) {
    const { model, prompt, max_tokens, stop, stream, stream_options } = parseBody(body, given)
    return {
      model,
      turns: [turnOf('user', prompt)],
      tools: [],
      toolChoice: 'none',
      tokensMax: max_tokens ?? TOKENS_DEFAULT,
      stops: stop,
      isStream: stream === true,
      includeUsage: stream_options?.include_usage === true,
    }
  },
  whole: completion => ({
    ...frameOf(completion),
    choices: [
      choiceOf(textOf(completion.reply.pieces), completion.reply.end === 'length' ? 'length' : 'stop'),
    ],
    usage: usageOf(completion),
  }),
  events,
  error: chatCompletions.error,
}

function* events(completion: Completion): Generator<LlmEvent> {
  const { ask, reply } = completion
  const chunk = (choices: object[], more: Partial<LlmEvent> = {}, usage: object | null = null): LlmEvent => ({
    name: null,
    part: 'body',
    tokens: 0,
    data: { ...frameOf(completion), choices, ...(ask.includeUsage && { usage }) },
    ...more,
  })
  for (const { text, tokens } of reply.pieces) yield chunk([choiceOf(text, null)], { tokens })
  yield chunk([choiceOf('', reply.end === 'length' ? 'length' : 'stop')])
  if (ask.includeUsage) yield chunk([], { part: 'usage' }, usageOf(completion))
  yield { name: null, data: '[DONE]', tokens: 0, part: 'end' }
}

const frameOf = ({ id, createdAt, ask }: Completion) => ({
  id: `cmpl-${id}`,
  object: 'text_completion',
  created: createdAt,
  model: ask.model,
})

const choiceOf = (text: string, finish_reason: string | null) => ({
  index: 0,
  text,
  logprobs: null,
  finish_reason,
})

const usageOf = ({ inputTokens, outputTokens }: Completion) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
})
