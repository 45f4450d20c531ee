import { GatewayError } from '@farebox/wire/errors'
import { countPrompt, type PromptCount, type PromptTerms } from './prompt-rules.ts'

/** Most output tokens that a call may ask for, over all its choices. */
const OUTPUT_TOKENS_MAX = 10_000_000
/** Most choices that a chat completion may ask for (`n`). */
const CHOICES_MAX = 128

/** The APIs of large language models that are spoken here, by the shape of their bodies. */
export type LlmShape = 'chat' | 'responses' | 'messages'

type Body = Readonly<Record<string, unknown>>

/** A request to a model as it is forwarded. */
export type LlmRequest = PromptCount & {
  readonly shape: LlmShape
  readonly members: Body
  /** `members` as compact JSON. */
  readonly body: string
  /** Most output tokens of the whole call; those of one choice times the choices. */
  readonly maxOutputTokens: number
  /** Choices that are asked for. */
  readonly choices: number
  readonly isStreamed: boolean
}

/** Members that bound the output tokens, by shape; the first is written when there is none, unless its model refuses it. */
const LIMITS: Readonly<Record<LlmShape, readonly [string, ...string[]]>> = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
}

/** OpenAI's reasoning models, which refuse `max_tokens`; a name may stand behind its maker's. */
const REASONING_MODEL = /^(?:.*\/)?(?:o\d|gpt-5)/
const OPENAI_ORIGIN = 'https://api.openai.com'

/**
 * Makes the body that goes to a model: the caller's, with the bound on output tokens always in it, the model's name
 * where the service sets it, and usage asked for where a stream tells it only then.
 *
 * @param offer.dialect               what the service speaks; of `openai`, both APIs
 * @param offer.targets               where the service is called
 * @param offer.defaultMaxOutputTokens bound of a call that gives none
 * @param ask.canStream  whether the caller's API can pass a stream on
 * @param ask.wantsStream whether the caller asked for one beside the body (`responseMode`)
 * @throws GatewayError INVALID_PAYLOAD
 */
export function prepareLlmRequest(
  offer: PromptTerms & {
    dialect: 'openai' | 'anthropic'
    defaultMaxOutputTokens: number
    upstreamModel: string | null
    targets: readonly { readonly url: string }[]
  },
  given: Body | undefined,
  ask: { canStream: boolean; wantsStream: boolean },
): LlmRequest {
  if (given === undefined) throw invalid('body', 'Is required: it is the request to the model.')
  const shape = shapeOf(offer.dialect, given)
  const limits = LIMITS[shape].flatMap(name => wholeNumberOf(given, name, OUTPUT_TOKENS_MAX) ?? [])
  const perChoice = limits.length === 0 ? offer.defaultMaxOutputTokens : Math.max(...limits)
  const choices = shape === 'chat' ? (wholeNumberOf(given, 'n', CHOICES_MAX) ?? 1) : 1
  const maxOutputTokens = perChoice * choices
  if (maxOutputTokens > OUTPUT_TOKENS_MAX)
    throw invalid('body.n', `Asks for over ${OUTPUT_TOKENS_MAX} tokens.`)

  const { stream = null, background = null } = given
  if (background !== null && background !== false) {
    throw invalid(
      'body.background',
      'Is not supported: a paid call is answered while the caller waits, or as a stream.',
    )
  }
  if (stream !== null && typeof stream !== 'boolean') throw invalid('body.stream', 'Must be true or false.')
  const isStreamed = ask.canStream && (ask.wantsStream || stream === true)
  const model = offer.upstreamModel ?? given.model
  const members = {
    ...given,
    ...(offer.upstreamModel !== null && { model }),
    ...(limits.length === 0 && { [limitFor(shape, model, offer.targets)]: perChoice }),
    ...((isStreamed || stream === true) && { stream: isStreamed }),
    ...(isStreamed && shape === 'chat' && { stream_options: withUsage(given.stream_options) }),
  }
  const body = JSON.stringify(members)
  const prompt = countPrompt(members, Buffer.byteLength(body), offer)
  return { shape, members, body, ...prompt, maxOutputTokens, choices, isStreamed }
}

/** Returns a request whose every bound on the output of one choice is at most `perChoice` tokens. */
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

/** The member that a bound is written under where the caller gave none (the wire, output bound). */
function limitFor(shape: LlmShape, model: unknown, targets: readonly { readonly url: string }[]): string {
  if (shape !== 'chat') return LIMITS[shape][0]
  const isReasoning = typeof model === 'string' && REASONING_MODEL.test(model)
  const isOpenAi = targets.some(({ url }) => new URL(url).origin === OPENAI_ORIGIN)
  return isReasoning || isOpenAi ? 'max_completion_tokens' : LIMITS.chat[0]
}

/** OpenAI's two APIs are told apart by what they call the prompt. */
function shapeOf(dialect: 'openai' | 'anthropic', body: Body): LlmShape {
  if (dialect === 'anthropic') return 'messages'
  return 'input' in body && !('messages' in body) ? 'responses' : 'chat'
}

function withUsage(options: unknown): object {
  const given = typeof options === 'object' && options !== null ? options : {}
  return { ...given, include_usage: true }
}

/** A member that counts something; null, as clients with optional fields write it, is none. */
function wholeNumberOf(body: Body, name: string, max: number): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  const isRight = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
  if (!isRight) throw invalid(`body.${name}`, `Must be a whole number from 1 to ${max}.`)
  return value
}

function invalid(path: string, message: string): GatewayError {
  const issues = [{ path: `payload.${path}`, message }]
  return new GatewayError('INVALID_PAYLOAD', { issues }, { message: `payload.${path}: ${message}` })
}

/** The two paths of OpenAI's APIs below one base, by shape. */
const PATHS = { chat: '/chat/completions', responses: '/responses' } as const

/**
 * The URL that speaks the shape of a request: a provider of OpenAI's dialect names one of its two APIs as its
 * target, and the other lives beside it. A target that ends like neither takes what comes.
 */
export function targetFor(target: string, shape: LlmShape): string {
  if (shape === 'messages') return target
  const other = shape === 'chat' ? PATHS.responses : PATHS.chat
  const [, base, rest] = /^([^?#]*?)\/?((?:[?#].*)?)$/.exec(target) ?? []
  if (base === undefined || !base.endsWith(other)) return target
  return base.slice(0, -other.length) + PATHS[shape] + (rest ?? '')
}
