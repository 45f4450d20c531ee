import { GatewayError } from '@farebox/wire/errors'
import { countPrompt, type PromptCount, type PromptTerms } from './prompt-rules.ts'

/** Maximum output tokens of a call, over all its choices. */
const OUTPUT_TOKENS_MAX = 10_000_000
/** Maximum choices of a chat completion (`n`). */
const CHOICES_MAX = 128

/** Supported LLM APIs, by the shape of their bodies. */
export type LlmShape = 'chat' | 'responses' | 'messages'

type Body = Readonly<Record<string, unknown>>

/** A request to a model, as forwarded. */
export type LlmRequest = PromptCount & {
  readonly shape: LlmShape
  readonly members: Body
  /** `members` as compact JSON. */
  readonly body: string
  /** Maximum output tokens of the call: those of one choice times the choices. */
  readonly maxOutputTokens: number
  /** Number of requested choices. */
  readonly choices: number
  readonly isStreamed: boolean
}

/** Members that bound the output tokens, by shape; if absent, the first is written unless the model refuses it. */
const LIMITS: Readonly<Record<LlmShape, readonly [string, ...string[]]>> = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
}

/** OpenAI's reasoning models, which refuse `max_tokens`; the name may follow its maker's. */
const REASONING_MODEL = /^(?:.*\/)?(?:o\d|gpt-5)/
const OPENAI_ORIGIN = 'https://api.openai.com'

/**
 * Returns the body for a model: the caller's, always with a bound on output tokens, with the service's model name if it
 * sets one, and with usage requested for streams that need it.
 *
 * @param offer.dialect               dialect of the service; `openai` covers two APIs
 * @param offer.targets               target URLs of the service
 * @param offer.defaultMaxOutputTokens bound if the call has none
 * @param ask.canStream  true if the caller's API can pass a stream on
 * @param ask.wantsStream true if the caller requested one outside of the body (`responseMode`)
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
    throw invalid('body.n', `Requests more than ${OUTPUT_TOKENS_MAX} tokens.`)

  const { stream = null, background = null } = given
  if (background !== null && background !== false) {
    throw invalid('body.background', 'Is not supported: send a synchronous or a streamed request.')
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

/** Returns the member for the bound if the caller gave none (the wire, output bound). */
function limitFor(shape: LlmShape, model: unknown, targets: readonly { readonly url: string }[]): string {
  if (shape !== 'chat') return LIMITS[shape][0]
  const isReasoning = typeof model === 'string' && REASONING_MODEL.test(model)
  const isOpenAi = targets.some(({ url }) => new URL(url).origin === OPENAI_ORIGIN)
  return isReasoning || isOpenAi ? 'max_completion_tokens' : LIMITS.chat[0]
}

/** OpenAI's two APIs differ by the name of the prompt. */
function shapeOf(dialect: 'openai' | 'anthropic', body: Body): LlmShape {
  if (dialect === 'anthropic') return 'messages'
  return 'input' in body && !('messages' in body) ? 'responses' : 'chat'
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

function invalid(path: string, message: string): GatewayError {
  const issues = [{ path: `payload.${path}`, message }]
  return new GatewayError('INVALID_PAYLOAD', { issues }, { message: `payload.${path}: ${message}` })
}

/** Paths of OpenAI's two APIs below one base, by shape. */
const PATHS = { chat: '/chat/completions', responses: '/responses' } as const

/**
 * Returns the URL for the shape of a request: a target of OpenAI's dialect names one of its two APIs, and the other is
 * at the sibling path. Other targets are used as they are.
 */
export function targetFor(target: string, shape: LlmShape): string {
  if (shape === 'messages') return target
  const other = shape === 'chat' ? PATHS.responses : PATHS.chat
  const [, base, rest] = /^([^?#]*?)\/?((?:[?#].*)?)$/.exec(target) ?? []
  if (base === undefined || !base.endsWith(other)) return target
  return base.slice(0, -other.length) + PATHS[shape] + (rest ?? '')
}
