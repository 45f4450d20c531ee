import { z } from 'zod'
import { clamped } from './common.ts'

/** Longest id or agentToolName that is looked up. */
const MODEL_LENGTH_MAX = 128
/** Page sizes of `GET /v1/models` as Anthropic's API has them. */
const MODELS_PAGE = { min: 1, max: 1_000, absent: 20 }

/** What every request to a model has, as far as the gateway reads it. `model` is an agentToolName or a service id. */
const modelRequest = {
  model: z.string('Name a model: an agentToolName or a service id.').min(1).max(MODEL_LENGTH_MAX),
  stream: z.boolean().nullish(),
}

/** Body of `POST /v1/chat/completions`. What else is in it, and in the two below, is the provider's to judge. */
export const chatIn = z.looseObject({
  ...modelRequest,
  messages: z.array(z.unknown(), 'Must be an array.'),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

/** Body of `POST /v1/responses`. It is told from a chat by its `input`. */
export const responsesIn = z.looseObject({
  ...modelRequest,
  input: z.union([z.string(), z.array(z.unknown())], 'Must be a string or an array.'),
  messages: z.undefined('Is no member of a request to this API; see input.').optional(),
})

/** Body of `POST /v1/messages`. */
export const messagesIn = z.looseObject({
  ...modelRequest,
  messages: z.array(z.unknown(), 'Must be an array.'),
})

/** Path of `GET /v1/models/:id`. */
export const modelPathIn = z.object({ id: z.string().min(1).max(MODEL_LENGTH_MAX) })

/** Query of `GET /v1/models` in Anthropic's shape. OpenAI's has none. */
export const modelsIn = z.object({
  limit: clamped(MODELS_PAGE),
  after_id: z.string().min(1).max(MODEL_LENGTH_MAX).optional(),
  before_id: z.string().min(1).max(MODEL_LENGTH_MAX).optional(),
})
