import type { Usdc } from '@farebox/money'
import { usdcIn } from '@farebox/wire/common'
import { fallbackIn, messagesIn } from '@farebox/wire/compat'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { FastifyRequest } from 'fastify'
import { invalidPayload } from '../../http/errors.ts'
import { idempotencyKeyOf, requestHash } from '../../http/idempotency.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Call } from '../invocation/invoke-service.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { FamilyRanking } from '../services/rank-family.ts'
import type { CompatApi } from './compat-api.ts'

/** Headers of the official clients that name versions and features of the API, for the provider to read. */
const PASSED_ON = ['anthropic-beta', 'anthropic-version', 'openai-beta'] as const
/** Longest value of one, in characters. */
const LENGTH_MAX = 1_024
/** A header field value (RFC 9110, 5.5): ASCII, without line breaks. */
const VALUE = /^[\x20-\x7e\t]*$/

/** For callers of the wrong API: the API through which the models of a dialect are called. */
const COMPAT_APIS = {
  openai: "speaks OpenAI's API: call POST /v1/chat/completions or /v1/responses.",
  anthropic: "speaks Anthropic's API: call POST /v1/messages.",
} as const

/** A model that a request names, and the call of it; or why it cannot be called through this API. */
export type Choice = {
  readonly model: string
  /** Null if there is no such service now. */
  readonly serviceId: string | null
  readonly input: InvokeInput | GatewayError
}

/** A request to a model API. */
export type ModelCall = {
  /** In the order in which they are tried. */
  readonly choices: readonly [Choice, ...Choice[]]
  readonly idempotencyKey: string | null
  readonly isStreamed: boolean
  /** The API that took the request, and the headers that it passes on; absent: of a request that could not be read. */
  readonly api?: Required<Pick<Call, 'shape' | 'passedOn'>>
  /** The request that the idempotency key identifies, if it names several models or a family; null: its only call. */
  readonly fallbackHash: Buffer | null
}

/**
 * Converts a model request to calls of the services that it names. Returns errors instead of throwing them, so that the
 * request counts towards the rate limit first.
 */
export async function readModelCall(
  deps: { readonly directory: ServiceDirectory; readonly families: FamilyRanking },
  api: CompatApi,
  { request, agent }: { request: Pick<FastifyRequest, 'body' | 'headers'>; agent: Agent },
): Promise<ModelCall | GatewayError> {
  const parsed = api.bodyIn.safeParse(request.body ?? {})
  if (!parsed.success) return invalidPayload(parsed.error)
  // Validated as an object by the schema; forwarded unchanged, as the provider validates all other members.
  const body = request.body as Record<string, unknown>
  const passedOn = passedOnHeaders(request.headers)
  if (passedOn instanceof GatewayError) return passedOn
  const { shape } = api
  try {
    const idempotencyKey = idempotencyKeyOf(request.headers)
    const maxCostUsdc = maxCostOf(request.headers)
    const { names, isFallback } = await modelsNamed(deps, api, { body, agent })
    const isOurs = api.dialect === 'openai' && ('models' in body || 'provider' in body)
    const choices = await Promise.all(
      names.map(model =>
        choiceOf(deps, api.dialect, {
          serviceId: model,
          idempotencyKey: idempotencyKey ?? undefined,
          costUsdc: undefined,
          maxCostUsdc,
          responseMode: undefined,
          payload: { body: isOurs ? bodyFor(model, body) : body, query: undefined, path: undefined },
        }),
      ),
    )
    const [first, ...others] = choices
    if (first === undefined) throw new Error('A request names a model.')
    return {
      choices: [first, ...others],
      idempotencyKey,
      isStreamed: parsed.data.stream === true,
      api: { shape, passedOn },
      fallbackHash: isFallback ? requestHash({ shape, body, maxCostUsdc: maxCostUsdc?.toString() }) : null,
    }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/** Returns the models at which a request is tried, in order, and whether it names more than one or a family. */
async function modelsNamed(
  { families }: { readonly families: FamilyRanking },
  { dialect }: CompatApi,
  { body, agent }: { body: unknown; agent: Agent },
): Promise<{ names: readonly string[]; isFallback: boolean }> {
  // In other APIs, members of these names are the provider's.
  if (dialect !== 'openai') return { names: [messagesIn.parse(body).model], isFallback: false }
  const { model, models, provider } = fallbackIn.parse(body)
  const names = [...new Set([model ?? [], models ?? []].flat())]
  const isFallback = (models ?? provider ?? null) !== null
  const [member] = names
  if (!provider || member === undefined) return { names, isFallback }
  const among = agent.allowedServices
  const ranked = await families.rank({ member, dialect, sort: provider.sort, among })
  return { names: ranked.length === 0 ? names : ranked, isFallback }
}

/** Returns the body that is forwarded to one of several models. */
function bodyFor(model: string, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { models: _models, provider: _provider, ...forwarded } = body
  return { ...forwarded, model }
}

async function choiceOf(
  deps: { readonly directory: ServiceDirectory },
  dialect: LlmDialect,
  input: InvokeInput,
): Promise<Choice> {
  const model = input.serviceId
  const service = await deps.directory.find(model)
  const fault = service === null ? ABSENT : misfitOf(dialectOf(service), dialect)
  // With a key, the request may be a replay of a call of a service deleted since.
  const isReplayable = service === null && input.idempotencyKey !== undefined
  const isCalled = fault === null || isReplayable
  return { model, serviceId: service?.id ?? null, input: isCalled ? input : noSuchModel(model, fault) }
}

/**
 * Returns the maximum cost from `Farebox-Max-Cost-Usdc`, the equivalent of `maxCostUsdc` for requests in another API's
 * format.
 *
 * @throws GatewayError INVALID_PAYLOAD for an invalid amount
 */
function maxCostOf(headers: FastifyRequest['headers']): Usdc | undefined {
  const given = headers['farebox-max-cost-usdc']
  if (given === undefined) return undefined
  const read = usdcIn.safeParse(given)
  if (read.success) return read.data
  const message = `Farebox-Max-Cost-Usdc: ${read.error.issues[0]?.message ?? 'Must be an amount in USDC.'}`
  const issues = [{ path: 'Farebox-Max-Cost-Usdc', message }]
  throw new GatewayError('INVALID_PAYLOAD', { issues }, { message })
}

/**
 * Returns the headers of a model request that are passed on to the provider, by lower-case name; INVALID_PAYLOAD for a
 * value that is too long or not ASCII, as a value, so that the request counts towards the rate limit first.
 */
export function passedOnHeaders(
  headers: Readonly<Record<string, unknown>>,
): Record<string, string> | GatewayError {
  const passedOn: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const given = headers[name]
    if (given === undefined) continue
    const value = Array.isArray(given) ? given.join(',') : String(given)
    if (value.length > LENGTH_MAX || !VALUE.test(value)) return unreadable(name)
    if (value !== '') passedOn[name] = value
  }
  return passedOn
}

function unreadable(name: string): GatewayError {
  const message = `${name}: Must be at most ${LENGTH_MAX} characters of ASCII.`
  return new GatewayError('INVALID_PAYLOAD', { issues: [{ path: name, message }] }, { message })
}

/** Fault of an unknown model, for {@link noSuchModel}. */
export const ABSENT = 'does not exist. GET /v1/models lists the models.'

/** Returns the error for a name that is not a model of this API. `fault` completes the message. */
export function noSuchModel(model: string, fault: string): GatewayError {
  return new GatewayError('SERVICE_NOT_FOUND', { model }, { message: `The model '${model}' ${fault}` })
}

/**
 * Returns why a service cannot be called through the APIs of a dialect, or null.
 *
 * @param spoken dialect of the service; null if it is not a model
 */
export function misfitOf(spoken: LlmDialect | null, dialect: LlmDialect): string | null {
  if (spoken === null) return 'is a service of another kind: call POST /api/v1/agent/invoke.'
  return spoken === dialect ? null : COMPAT_APIS[spoken]
}

function dialectOf({ pricing }: CallableService): LlmDialect | null {
  return pricing.model === 'fixed' ? null : pricing.dialect
}
