import {
  anthropicErrorAnswer,
  chatAnswer,
  chatIn,
  completionAnswer,
  completionsIn,
  countTokensAnswer,
  embeddingsAnswer,
  embeddingsIn,
  messageAnswer,
  messagesIn,
  openAiErrorAnswer,
  responseAnswer,
  responsesIn,
} from '@farebox/wire/compat'
import type { Contract } from '../../http/openapi/contract.ts'

// Contracts of the model APIs, in their own terms.

const common = {
  tag: 'Invocation',
  access: 'agent',
  relaysErrors: true,
  idempotencyKey: 'optional',
  errors: [
    'RATE_LIMITED',
    'SERVICE_NOT_FOUND',
    'SERVICE_NOT_ALLOWED',
    'LIMIT_EXCEEDED',
    'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
    'BUDGET_EXHAUSTED',
    'UPSTREAM_ERROR',
    'GATEWAY_INTERRUPTED',
  ],
} as const

const fallback =
  ' With `models`, or `provider.sort` and the `modelFamily` of `model`, the models are tried one after the other until one answers; only that one is charged, the answer names it in `model`, and `Farebox-Attempts` lists the others.'

const paid =
  "`model` is an agentToolName or a service id. The provider validates everything else in the body. The header `Farebox-Max-Cost-Usdc` caps what the call may cost, as `maxCostUsdc` of `invokeService` does. The bill is in `Farebox-Invocation-Id`, `Farebox-Charged-Usdc` and `Farebox-Hold-Usdc`, and in a comment before the last event of a stream. Errors have the format of that API, with the gateway's details in `error.farebox`; a provider's 400, 413, 422, 429 and 529 are passed on."

/** `POST /v1/chat/completions`. */
export const chatContract: Contract = {
  ...common,
  id: 'createChatCompletion',
  summary: "Call a model with OpenAI's chat completions",
  description: `For OpenAI's clients: set their base URL to \`/v1\` and their API key to an agent credential. ${paid}${fallback}`,
  body: chatIn,
  answer: chatAnswer,
  otherTypes: { 'text/event-stream': 'The chunks of the provider, with `"stream": true`.' },
  errorAnswer: openAiErrorAnswer,
  example: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_795_168_200,
    model: 'small-model',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Sunny, 21 degrees.' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 },
  },
  exampleBody: {
    model: 'small-model',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'What is the weather like in Lisbon?' }],
  },
}

/** `POST /v1/completions`. */
export const completionsContract: Contract = {
  ...common,
  id: 'createCompletion',
  summary: "Call a model by OpenAI's completions",
  description: paid,
  body: completionsIn,
  answer: completionAnswer,
  otherTypes: { 'text/event-stream': 'The chunks of the provider, with `"stream": true`.' },
  errorAnswer: openAiErrorAnswer,
  example: {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1_795_168_200,
    model: 'small-model',
    choices: [{ index: 0, text: ' the sea.', logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7, cost: 0.000003 },
  },
  exampleBody: { model: 'small-model', max_tokens: 16, prompt: 'Lisbon lies by' },
}

/** `POST /v1/embeddings`. */
export const embeddingsContract: Contract = {
  ...common,
  id: 'createEmbeddings',
  summary: "Call a model by OpenAI's embeddings",
  description: `Charged by the input alone. ${paid}`,
  body: embeddingsIn,
  answer: embeddingsAnswer,
  errorAnswer: openAiErrorAnswer,
  example: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.5] }],
    model: 'small-embeddings',
    usage: { prompt_tokens: 4, total_tokens: 4, cost: 0.000001 },
  },
  exampleBody: { model: 'small-embeddings', input: 'Lisbon lies by the sea.' },
}

/** `POST /v1/messages/count_tokens`. */
export const countTokensContract: Contract = {
  tag: 'Invocation',
  access: 'agent',
  errors: ['RATE_LIMITED', 'SERVICE_NOT_FOUND', 'SERVICE_NOT_ALLOWED', 'UPSTREAM_ERROR'],
  relaysErrors: true,
  id: 'countMessageTokens',
  summary: 'Count the input tokens of a message',
  description:
    'Free; counts towards `rpm`, not towards `maxCalls`. Passed on to the provider; where that gives no answer, estimated by the bytes of the request, with `estimated` and the header `Farebox-Estimated: true`.',
  body: messagesIn,
  answer: countTokensAnswer,
  errorAnswer: anthropicErrorAnswer,
  example: { input_tokens: 14 },
  exampleBody: {
    model: 'small-model',
    messages: [{ role: 'user', content: 'What is the weather like in Lisbon?' }],
  },
}

/** `POST /v1/responses`. */
export const responsesContract: Contract = {
  ...common,
  id: 'createResponse',
  summary: "Call a model with OpenAI's responses",
  description: paid,
  body: responsesIn,
  answer: responseAnswer,
  otherTypes: { 'text/event-stream': 'The events of the provider, with `"stream": true`.' },
  errorAnswer: openAiErrorAnswer,
  example: {
    id: 'resp_1',
    object: 'response',
    created_at: 1_795_168_200,
    status: 'completed',
    model: 'small-model',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Sunny, 21 degrees.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 12, output_tokens: 6, total_tokens: 18 },
  },
  exampleBody: { model: 'small-model', max_output_tokens: 64, input: 'What is the weather like in Lisbon?' },
}

/** `POST /v1/messages`. */
export const messagesContract: Contract = {
  ...common,
  id: 'createMessage',
  summary: "Call a model with Anthropic's messages",
  description: `For Anthropic's clients: set their base URL to the gateway and their API key to an agent credential. ${paid}`,
  body: messagesIn,
  answer: messageAnswer,
  otherTypes: { 'text/event-stream': 'The events of the provider, with `"stream": true`.' },
  errorAnswer: anthropicErrorAnswer,
  example: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'small-model',
    content: [{ type: 'text', text: 'Sunny, 21 degrees.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 6 },
  },
  exampleBody: {
    model: 'small-model',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'What is the weather like in Lisbon?' }],
  },
}

/** Example of a model in a list. */
export const modelExample = {
  id: 'small-model',
  object: 'model',
  created: 1_795_168_200,
  owned_by: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  name: 'Small model',
  description: 'Answers short questions.',
  context_length: 128_000,
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  pricing: {
    prompt: '0.00000015',
    completion: '0.0000006',
    input_cache_read: '0.000000075',
    input_cache_write: '0.00000015',
    request: '0',
  },
}
