import { z } from 'zod'
import { inputModalities, PROMPT_TOKENS_MAX } from '../catalogue/llm-terms.ts'
import { toolNameOut } from '../catalogue/services.ts'
import { clamped, isoTime, requestText, textOut, walletOut } from '../common.ts'

/** Maximum length of an id or agentToolName in a lookup. */
const MODEL_LENGTH_MAX = 128
/** Page sizes of `GET /v1/models`, as in Anthropic's API. */
const MODELS_PAGE = { min: 1, max: 1_000, absent: 20 }

/** Bound stated in the contract where only the limit of the whole request applies. */
const MESSAGES_MAX = 100_000
const messagesOf = z.array(z.unknown(), 'Must be an array.').meta({ maxItems: MESSAGES_MAX })

const NAME_A_MODEL = 'Name a model: an agentToolName or a service id.'
const modelNamed = z.string(NAME_A_MODEL).min(1).max(MODEL_LENGTH_MAX).meta({ pattern: '^[^\\u0000]+$' })

/** Members of every model request that the gateway reads. `model` is an agentToolName or a service id. */
const modelRequest = {
  model: modelNamed,
  stream: z.boolean().nullish(),
}

/** Maximum models tried for a request. */
const FALLBACK_MODELS_MAX = 5
/** By what the services of a model family are ranked. */
const FAMILY_SORTS = ['price', 'latency', 'throughput'] as const

/** Members of requests of OpenAI's dialect that name more than one model. They are not forwarded. */
const fallbackMembers = {
  model: modelNamed.nullish().meta({ description: 'Required without `models`; tried before them.' }),
  models: z
    .array(modelNamed, 'Must be an array.')
    .min(1, NAME_A_MODEL)
    .max(FALLBACK_MODELS_MAX, `Must name at most ${FALLBACK_MODELS_MAX} models.`)
    .nullish()
    .meta({ description: 'Tried in order until one answers; 5 at most, with `model`.' }),
  provider: z
    .strictObject({ sort: z.enum(FAMILY_SORTS) })
    .nullish()
    .meta({
      description: 'Tries the services of the `modelFamily` of `model`, the best 5 by `sort`.',
    }),
}
/** The members of {@link fallbackMembers}, once the body was found to be valid. */
export const fallbackIn = z.looseObject(fallbackMembers)

type ModelNames = z.output<typeof fallbackIn>
const openAiRequest = { ...fallbackMembers, stream: modelRequest.stream }

/** Checks what no member shows alone: that there is a model, and which of the ways to name several is meant. */
function checkModels({ value, issues }: z.core.ParsePayload<ModelNames>): void {
  const names = new Set([value.model ?? [], value.models ?? []].flat())
  const add = (path: keyof ModelNames, message: string) =>
    issues.push({ code: 'custom', path: [path], message, input: value })
  if (names.size === 0) add('model', NAME_A_MODEL)
  if (names.size > FALLBACK_MODELS_MAX)
    add('models', `Must name at most ${FALLBACK_MODELS_MAX} models, including model.`)
  if (names.size > 1 && value.provider) add('provider', 'Must be absent if several models are named.')
}

/** Body of `POST /v1/chat/completions`. The provider validates all other members, as in the two schemas below. */
export const chatIn = z
  .looseObject({
    ...openAiRequest,
    messages: messagesOf,
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .check(checkModels)

/** Body of `POST /v1/responses`. Its `input` distinguishes it from a chat. */
export const responsesIn = z
  .looseObject({
    ...openAiRequest,
    input: z.union([requestText, messagesOf], 'Must be a string or an array.'),
    messages: z.undefined('Is not a member of this API; see input.').optional(),
  })
  .check(checkModels)

/** Body of `POST /v1/messages`. */
export const messagesIn = z.looseObject({
  ...modelRequest,
  messages: messagesOf,
})

const promptOf = z.union(
  [requestText, z.array(z.unknown()).meta({ maxItems: MESSAGES_MAX })],
  'Must be a string or an array.',
)

/** Body of `POST /v1/completions`. */
export const completionsIn = z
  .looseObject({
    ...openAiRequest,
    prompt: promptOf,
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .check(checkModels)

/** Body of `POST /v1/embeddings`. */
export const embeddingsIn = z.looseObject({ ...openAiRequest, input: promptOf }).check(checkModels)

/** Path of `GET /v1/models/:id`. */
export const modelPathIn = z.object({
  id: z.string().min(1).max(MODEL_LENGTH_MAX).meta({
    description: 'An agentToolName or a service id.',
    pattern: '^[^\\u0000]+$',
    example: 'small-model',
  }),
})

const modelId = z.string().min(1).max(MODEL_LENGTH_MAX).meta({ pattern: '^[^\\u0000]+$' })

/** Query of `GET /v1/models` in Anthropic's format. OpenAI's has none. */
export const modelsIn = z.object({
  limit: clamped(MODELS_PAGE).meta({ description: "Maximum models per page, in Anthropic's shape only." }),
  after_id: modelId.optional().meta({ description: 'Only models after this one.' }),
  before_id: modelId.optional().meta({ description: 'Only models before this one.' }),
})

// Responses. The output of a model belongs to its provider, in the format of that API; the contract only promises an
// object.

/** Answer of `POST /v1/chat/completions`. */
export const chatAnswer = z
  .looseObject({})
  .meta({ description: "The provider's chat completion, unchanged." })
/** Answer of `POST /v1/responses`. */
export const responseAnswer = z.looseObject({}).meta({ description: "The provider's response, unchanged." })
/** Answer of `POST /v1/messages`. */
export const messageAnswer = z.looseObject({}).meta({ description: "The provider's message, unchanged." })

/** Answer of `POST /v1/completions`. */
export const completionAnswer = z
  .looseObject({})
  .meta({ description: 'A completion of the provider, as it came.' })
/** Answer of `POST /v1/embeddings`. */
export const embeddingsAnswer = z
  .looseObject({})
  .meta({ description: 'Embeddings of the provider, as they came.' })
/** Answer of `POST /v1/messages/count_tokens`. */
export const countTokensAnswer = z.looseObject({
  input_tokens: z.int().min(0),
  estimated: z.boolean().optional().meta({
    description: 'True if the gateway counted, by the bytes of the request.',
  }),
})

const NAME_LENGTH_MAX = 120
/** Maximum length of the description of a model, in characters; longer ones are cut. */
export const MODEL_DESCRIPTION_LENGTH_MAX = 1_000
/** Maximum length of a price per token, in characters. */
const PRICE_LENGTH_MAX = 20

const usdPerToken = z
  .string()
  .max(PRICE_LENGTH_MAX)
  .regex(/^\d+(?:\.\d+)?$/)

/** Members of a model beside those of either API, as other model markets have them. */
const marketFields = {
  name: textOut(NAME_LENGTH_MAX),
  description: textOut(MODEL_DESCRIPTION_LENGTH_MAX),
  context_length: z.int().min(1).max(PROMPT_TOKENS_MAX).nullable().meta({
    description: "The manifest's `contextTokens`; null: not stated.",
  }),
  architecture: z.object({
    input_modalities: inputModalities.nullable().meta({
      description: "The manifest's `inputModalities`; null: not stated.",
    }),
    output_modalities: z.array(z.enum(['text', 'embeddings'])).length(1),
  }),
  pricing: z
    .object({
      prompt: usdPerToken,
      completion: usdPerToken,
      input_cache_read: usdPerToken,
      input_cache_write: usdPerToken,
      request: usdPerToken,
    })
    .meta({ description: 'USD per token, exact decimals; `request` is per call.' }),
}

/** A model in OpenAI's format. */
export const openAiModel = z.object({
  ...marketFields,
  id: toolNameOut,
  object: z.literal('model'),
  created: z.int().min(0),
  owned_by: walletOut,
})
/** A model in Anthropic's format. */
export const anthropicModel = z.object({
  ...marketFields,
  type: z.literal('model'),
  id: toolNameOut,
  display_name: textOut(NAME_LENGTH_MAX),
  created_at: isoTime,
})

/**
 * Answer of `GET /v1/models`: Anthropic's format for requests with an `anthropic-version` header, OpenAI's otherwise.
 */
export const modelsAnswer = z.union([
  z.object({ object: z.literal('list'), data: z.array(openAiModel).max(MODELS_PAGE.max) }),
  z.object({
    data: z.array(anthropicModel).max(MODELS_PAGE.max),
    has_more: z.boolean(),
    first_id: toolNameOut.nullable(),
    last_id: toolNameOut.nullable(),
  }),
])

/** Answer of `GET /v1/models/:id`. */
export const modelAnswer = z.union([openAiModel, anthropicModel])

const ERROR_LENGTH_MAX = 10_000
const name = z
  .string()
  .max(256)
  .regex(/^[\x20-\x7e]*$/)
/** The gateway's details of an error: its code, the request id, and the members of `detail`. */
const account = z.looseObject({ code: z.string().regex(/^[A-Z_]{1,64}$/), requestId: name })

/** Error body in OpenAI's format. */
export const openAiErrorAnswer = z.object({
  error: z.object({
    message: textOut(ERROR_LENGTH_MAX),
    type: name,
    param: name.nullable(),
    code: name.nullable(),
    farebox: account,
  }),
})
/** Error body in Anthropic's format. */
export const anthropicErrorAnswer = z.object({
  type: z.literal('error'),
  error: z.object({ type: name, message: textOut(ERROR_LENGTH_MAX), farebox: account }),
  request_id: name,
})
