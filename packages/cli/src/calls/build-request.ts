import type { AnswerOf, InputOf } from '@farebox/client'
import { formatUsdc, type Usdc } from '@farebox/money'
import { readJson, readPair, readText } from '../commands/read-options.ts'
import { badInput } from '../failure.ts'

type Service = AnswerOf<'readMarketService'>['service']
type Body = InputOf<'invokeService'>['body']
type Payload = { body?: unknown; query?: Record<string, unknown>; path?: Record<string, unknown> }

/** Returns true for a model that answers with text, which can be streamed. */
export const isChat = (service: Service): boolean =>
  service.serviceKind === 'llm' && service.modelKind !== 'embeddings'

/** Options of `farebox invoke` that make the request. */
export type RequestOptions = {
  readonly field?: readonly string[]
  readonly body?: string
  readonly payload?: string
  readonly prompt?: string
  readonly maxTokens?: number
  readonly cost?: Usdc
  readonly maxCost?: Usdc
  readonly stream?: boolean
}

/**
 * Returns the request of a call, at the price that the service has now unless another is given.
 *
 * @param isText true if the answer is for people: models then stream by default
 * @throws Failure if the options contradict each other, or do not suit the service
 */
export function buildRequest(
  service: Service,
  options: RequestOptions,
  isText: boolean,
): { readonly body: Body; readonly isStream: boolean } {
  const payload = readPayload(service, options)
  const { cost, maxCost, stream } = options
  const isLlm = service.serviceKind === 'llm'
  const isStream = isChat(service) ? streams(payload, stream ?? isText) : stream === true && !isLlm
  const price = isLlm ? undefined : service.pricing.amount
  const costUsdc = cost === undefined ? price : formatUsdc(cost)
  return {
    isStream,
    body: {
      serviceId: service.agentToolName,
      payload: payload as NonNullable<Body['payload']>,
      ...(costUsdc !== undefined && { costUsdc }),
      ...(maxCost !== undefined && { maxCostUsdc: formatUsdc(maxCost) }),
      ...(isStream && !isLlm && { responseMode: 'stream' as const }),
    },
  }
}

/** Asks a model to stream if the payload leaves it open; returns true if it will. */
function streams({ body: given }: Payload, isWanted: boolean): boolean {
  const body = given as Record<string, unknown> | undefined
  if (body !== undefined && body.stream === undefined && isWanted) body.stream = true
  return body?.stream === true
}

function readPayload(service: Service, options: RequestOptions): Payload {
  const { field = [], body, payload, prompt, maxTokens } = options
  if (payload !== undefined) {
    if (field.length > 0 || body !== undefined || prompt !== undefined)
      throw badInput('--payload is the whole request: leave out --field, --body and --prompt.')
    return readJson(readText(payload, '--payload'), '--payload') as Payload
  }
  if (prompt !== undefined && service.serviceKind !== 'llm')
    throw badInput(`${service.agentToolName} is not a model: use --field or --body instead of --prompt.`)
  const text = body === undefined ? undefined : readText(body, '--body')
  if (text !== undefined && service.encoding === 'text') {
    if (field.length > 0) throw badInput(`${service.agentToolName} takes text: leave out --field.`)
    return { body: text }
  }
  const given: unknown = text === undefined ? {} : readJson(text, '--body')
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badInput('--body is not a JSON object.')
  const made: Payload & { body: Record<string, unknown> } = { body: { ...given } }
  // As a model API would pass it on; a provider whose service names a model of its own never sees it.
  if (service.serviceKind === 'llm') made.body.model ??= service.agentToolName
  if (prompt !== undefined) {
    const content = readText(prompt, '--prompt')
    if (isChat(service)) made.body.messages = [{ role: 'user', content }]
    else made.body.input = content
  }
  if (maxTokens !== undefined) made.body.max_tokens = maxTokens
  for (const each of field) place(service, made, readField(each))
  return made
}

/** Reads `name=text`, or `name:=json`. */
function readField(text: string): readonly [name: string, value: unknown] {
  const [name, value] = readPair(text, '--field')
  return name.endsWith(':') ? [name.slice(0, -1), readJson(value, `--field ${name}`)] : [name, value]
}

/** Puts a value where the service wants it: into the path or the query, else into the body. */
function place(
  service: Service,
  payload: Payload & { body: Record<string, unknown> },
  [name, value]: readonly [string, unknown],
): void {
  const query = service.request.query as { properties?: Record<string, unknown> } | undefined
  if (service.pathParameters.includes(name)) payload.path = { ...payload.path, [name]: value }
  else if (Object.hasOwn(query?.properties ?? {}, name)) payload.query = { ...payload.query, [name]: value }
  else payload.body[name] = value
}
