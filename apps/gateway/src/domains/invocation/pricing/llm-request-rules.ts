import type { OutputLimitField } from '@farebox/wire/llm-terms'
import {
  type LlmDialect,
  MODEL_PATHS,
  MODEL_URL_PARTS,
  modelKindOf,
  modelPathIn,
} from '@farebox/wire/model-kinds'
import { checkMembers, invalid, LIMITS, type LlmShape } from './model-member-rules.ts'
import { countPrompt, type PromptCount, type PromptTerms } from './prompt-rules.ts'

/** Maximum output tokens of a call, over all its choices. */
const OUTPUT_TOKENS_MAX = 10_000_000
/** Maximum choices of a chat completion (`n`). */
const CHOICES_MAX = 128

export type { LlmShape }

type Body = Readonly<Record<string, unknown>>

/** A request to a model, as forwarded. */
export type LlmRequest = PromptCount & {
  readonly shape: LlmShape
  readonly members: Body
  /** `members` as compact JSON. */
  readonly body: string
  /** Maximum output tokens of the call: those of one choice times the choices; 0 of embeddings that can have none. */
  readonly maxOutputTokens: number
  /** Number of choices that the model makes. */
  readonly choices: number
  readonly isStreamed: boolean
}

/** Members of a service that determine the forwarded request. */
export type LlmOffer = PromptTerms & {
  /** `openai` covers all APIs of that maker. */
  readonly dialect: LlmDialect
  /** Bound if the call has none. */
  readonly defaultMaxOutputTokens: number
  readonly upstreamModel: string | null
  readonly outputLimitField: OutputLimitField | null
  /** Target URLs of the service. */
  readonly targets: readonly { readonly url: string }[]
}

/** The member with the prompt, by shape. */
const PROMPT_OF: Readonly<Record<LlmShape, string>> = {
  chat: 'messages',
  responses: 'input',
  messages: 'messages',
  completions: 'prompt',
  embeddings: 'input',
}
const PROMPTS = ['messages', 'input', 'prompt'] as const
/** APIs whose streams have usage only on request. */
const ASKED_FOR_USAGE: ReadonlySet<LlmShape> = new Set(['chat', 'completions'])

/** OpenAI's reasoning models, which refuse `max_tokens`; the name may follow its maker's. */
const REASONING_MODEL = /^(?:.*\/)?(?:o\d|gpt-5)/
const OPENAI_ORIGIN = 'https://api.openai.com'

/**
 * Returns the body for a model: the caller's, always with a bound on output tokens, with the service's model name if it
 * sets one, and with usage requested for streams that need it.
 *
 * @param ask.canStream  true if the caller's API can pass a stream on
 * @param ask.wantsStream true if the caller requested one outside of the body (`responseMode`)
 * @param ask.shape       of the caller's API; absent: derived from dialect, body and targets
 * @throws GatewayError INVALID_PAYLOAD, also for members that bound the output elsewhere or that are misspelt in case,
 * and for those that choose another model than the service's
 */
export function prepareLlmRequest(
  offer: LlmOffer,
  given: Body | undefined,
  ask: { canStream: boolean; wantsStream: boolean; shape?: LlmShape | undefined },
): LlmRequest {
  if (given === undefined) throw invalid('body', 'Is required: it is the request to the model.')
  const shape = ask.shape ?? shapeOf(offer, given)
  checkMembers(given, shape, offer.upstreamModel !== null)
  checkPrompts(offer, given, shape)
  const hasOutput = LIMITS[shape].length > 0
  const limits = LIMITS[shape].flatMap(name => wholeNumberOf(given, name, OUTPUT_TOKENS_MAX) ?? [])
  // A target that names no API may answer embeddings with output.
  const unbounded = hasOutput || namesNoApi(offer) ? offer.defaultMaxOutputTokens : 0
  const perChoice = limits.length === 0 ? unbounded : Math.max(...limits)
  const choices = choicesOf(shape, given)
  const maxOutputTokens = perChoice * choices
  if (maxOutputTokens > OUTPUT_TOKENS_MAX)
    throw invalid('body.n', `Requests more than ${OUTPUT_TOKENS_MAX} tokens.`)

  const { stream = null, background = null } = given
  if (background !== null && background !== false) {
    throw invalid('body.background', 'Is not supported: send a synchronous or a streamed request.')
  }
  if (stream !== null && typeof stream !== 'boolean') throw invalid('body.stream', 'Must be true or false.')
  const isStreamed = hasOutput && ask.canStream && (ask.wantsStream || stream === true)
  const model = offer.upstreamModel ?? given.model
  const members = {
    ...given,
    ...(offer.upstreamModel !== null && { model }),
    ...(hasOutput && perChoice > 0 && limits.length === 0 && { [limitFor(shape, model, offer)]: perChoice }),
    ...((isStreamed || stream === true) && { stream: isStreamed }),
    ...(isStreamed && ASKED_FOR_USAGE.has(shape) && { stream_options: withUsage(given.stream_options) }),
  }
  const body = JSON.stringify(members)
  const prompt = countPrompt(members, Buffer.byteLength(body), offer)
  return { shape, members, body, ...prompt, maxOutputTokens, choices, isStreamed }
}

/**
 * Refuses a request by which a caller chooses the API of a target: of another shape than embeddings at a target of
 * theirs, and with prompts of two shapes where the target's URL does not decide which is read.
 */
function checkPrompts(offer: Pick<LlmOffer, 'dialect' | 'targets'>, given: Body, shape: LlmShape): void {
  if (shape !== 'embeddings' && isOfEmbeddings(offer))
    throw invalid('body', 'The service makes embeddings: send input to POST /v1/embeddings.')
  if (shape !== 'embeddings' && !namesNoApi(offer)) return
  const { prompt, ...others } = given
  // A stored prompt of the Responses API is an object.
  const body = shape === 'responses' && !isText(prompt) ? others : given
  const other = PROMPTS.find(name => name !== PROMPT_OF[shape] && (body[name] ?? null) !== null)
  if (other !== undefined)
    throw invalid(`body.${other}`, `Is not a member of this API. Send ${PROMPT_OF[shape]} only.`)
}

/** Returns a request that bounds the output of one choice to at most `perChoice` tokens. */
export function lowerOutputBound(request: LlmRequest, perChoice: number): LlmRequest {
  const { shape, choices } = request
  if (perChoice * choices >= request.maxOutputTokens) return request
  const members: Record<string, unknown> = { ...request.members }
  for (const name of LIMITS[shape]) {
    const given = members[name]
    if (typeof given === 'number') members[name] = Math.min(given, perChoice)
  }
  return { ...request, members, body: JSON.stringify(members), maxOutputTokens: perChoice * choices }
}

/** Returns the member for the bound if the caller gave none: the manifest's, else by target and model. */
function limitFor(
  shape: LlmShape,
  model: unknown,
  { targets, outputLimitField }: Pick<LlmOffer, 'targets' | 'outputLimitField'>,
): string {
  const [usual = ''] = LIMITS[shape]
  if (shape !== 'chat') return usual
  if (outputLimitField !== null) return outputLimitField
  const isReasoning = typeof model === 'string' && REASONING_MODEL.test(model)
  const isOpenAi = targets.some(({ url }) => new URL(url).origin === OPENAI_ORIGIN)
  return isReasoning || isOpenAi ? 'max_completion_tokens' : usual
}

/** OpenAI's APIs differ by the name of the prompt; two call it `input`, and the targets distinguish them. */
function shapeOf(offer: Pick<LlmOffer, 'dialect' | 'targets'>, body: Body): LlmShape {
  if (offer.dialect === 'anthropic') return 'messages'
  if (isOfEmbeddings(offer)) return 'embeddings'
  if ('messages' in body) return 'chat'
  if ('input' in body) return 'responses'
  // A stored prompt of the Responses API is an object.
  return isText(body.prompt) ? 'completions' : 'chat'
}

const isText = (prompt: unknown): boolean => typeof prompt === 'string' || Array.isArray(prompt)

const isOfEmbeddings = ({ dialect, targets }: Pick<LlmOffer, 'dialect' | 'targets'>): boolean =>
  modelKindOf(dialect, targets) === 'embeddings'

/** Returns true if the caller's request alone decides which of OpenAI's APIs a target is asked for. */
const namesNoApi = ({ dialect, targets }: Pick<LlmOffer, 'dialect' | 'targets'>): boolean =>
  dialect === 'openai' && targets.some(({ url }) => modelPathIn(url) === undefined)

/**
 * Choices that a model makes for a call: `n` of a chat; of completions the greater of `n` and `best_of`, for each prompt
 * of a list.
 */
function choicesOf(shape: LlmShape, body: Body): number {
  if (shape !== 'chat' && shape !== 'completions') return 1
  const asked = wholeNumberOf(body, 'n', CHOICES_MAX) ?? 1
  if (shape === 'chat') return asked
  const { prompt } = body
  // A list of numbers is one prompt, in tokens.
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
  const choices = Math.max(asked, wholeNumberOf(body, 'best_of', CHOICES_MAX) ?? 1) * prompts
  if (choices > CHOICES_MAX) throw invalid('body.prompt', `Asks for over ${CHOICES_MAX} choices.`)
  return choices
}

function withUsage(options: unknown): object {
  const given = typeof options === 'object' && options !== null ? options : {}
  return { ...given, include_usage: true }
}

/** Returns a count; null counts as absent, as clients with optional fields send it. */
function wholeNumberOf(body: Body, name: string, max: number): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  const isRight = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
  if (!isRight) throw invalid(`body.${name}`, `Must be a whole number from 1 to ${max}.`)
  return value
}

/**
 * Returns the URL for the shape of a request: a target of OpenAI's dialect names one of the APIs, and the others are at
 * sibling paths. Other targets are used as they are.
 */
export function targetFor(target: string, shape: LlmShape): string {
  if (shape === 'messages') return target
  const [, base, path, rest] = MODEL_URL_PARTS.exec(target) ?? []
  return base === undefined || path === MODEL_PATHS[shape] ? target : base + MODEL_PATHS[shape] + (rest ?? '')
}
