import { z } from 'zod'
import { toolNameOut } from '../catalogue/services.ts'
import { clamped, isoTime, textOut, walletOut } from '../common.ts'

/** Maximum length of an id or agentToolName in a lookup. */
const MODEL_LENGTH_MAX = 128
/** Page sizes of `GET /v1/models`, as in Anthropic's API. */
const MODELS_PAGE = { min: 1, max: 1_000, absent: 20 }

/** Bounds stated in the contract where only the limit of the whole request applies. */
const REQUEST_TEXT_LENGTH_MAX = 1_048_576
const MESSAGES_MAX = 100_000
const text = z.string().meta({ maxLength: REQUEST_TEXT_LENGTH_MAX, pattern: '^[\\s\\S]*$' })
const messagesOf = z.array(z.unknown(), 'Must be an array.').meta({ maxItems: MESSAGES_MAX })

/** Members of every model request that the gateway reads. `model` is an agentToolName or a service id. */
const modelRequest = {
  model: z
    .string('Name a model: an agentToolName or a service id.')
    .min(1)
    .max(MODEL_LENGTH_MAX)
    .meta({ pattern: '^[^\\u0000]+$' }),
  stream: z.boolean().nullish(),
}

/** Body of `POST /v1/chat/completions`. The provider validates all other members, as in the two schemas below. */
export const chatIn = z.looseObject({
  ...modelRequest,
  messages: messagesOf,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

/** Body of `POST /v1/responses`. Its `input` distinguishes it from a chat. */
export const responsesIn = z.looseObject({
  ...modelRequest,
  input: z.union([text, messagesOf], 'Must be a string or an array.'),
  messages: z.undefined('Is no member of a request to this API; see input.').optional(),
})

/** Body of `POST /v1/messages`. */
export const messagesIn = z.looseObject({
  ...modelRequest,
  messages: messagesOf,
})

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
  limit: clamped(MODELS_PAGE).meta({ description: "Models of a page, in Anthropic's shape only." }),
  after_id: modelId.optional().meta({ description: 'Only models after this one.' }),
  before_id: modelId.optional().meta({ description: 'Only models before this one.' }),
})

// Responses. The output of a model belongs to its provider, in the format of that API; the contract only promises an
// object.

/** Answer of `POST /v1/chat/completions`. */
export const chatAnswer = z
  .looseObject({})
  .meta({ description: 'A chat completion of the provider, as it came.' })
/** Answer of `POST /v1/responses`. */
export const responseAnswer = z
  .looseObject({})
  .meta({ description: 'A response of the provider, as it came.' })
/** Answer of `POST /v1/messages`. */
export const messageAnswer = z.looseObject({}).meta({ description: 'A message of the provider, as it came.' })

const NAME_LENGTH_MAX = 120

/** A model in OpenAI's format. */
export const openAiModel = z.object({
  id: toolNameOut,
  object: z.literal('model'),
  created: z.int().min(0),
  owned_by: walletOut,
})
/** A model in Anthropic's format. */
export const anthropicModel = z.object({
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
