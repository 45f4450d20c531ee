import type { Usdc } from '@farebox/money'
import { usdcIn } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { LlmDialect } from '@farebox/wire/llm-terms'
import type { FastifyRequest } from 'fastify'
import { invalidPayload } from '../../http/errors.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { CompatApi } from './compat-api.ts'

/** For callers of the wrong API: the API through which the models of a dialect are called. */
const COMPAT_APIS = {
  openai: "speaks OpenAI's API: call POST /v1/chat/completions or /v1/responses.",
  anthropic: "speaks Anthropic's API: call POST /v1/messages.",
} as const

/**
 * Converts a model request to a call of the service that it names. Returns errors instead of throwing them, so that the
 * request counts towards the rate limit first.
 */
export async function readModelCall(
  deps: { readonly directory: ServiceDirectory },
  api: CompatApi,
  request: Pick<FastifyRequest, 'body' | 'headers'>,
): Promise<InvokeInput | GatewayError> {
  const parsed = api.bodyIn.safeParse(request.body ?? {})
  if (!parsed.success) return invalidPayload(parsed.error)
  const { model } = parsed.data
  try {
    const idempotencyKey = idempotencyKeyOf(request.headers) ?? undefined
    const service = await deps.directory.find(model)
    const fault = service === null ? 'does not exist.' : misfitOf(dialectOf(service), api.dialect)
    // With a key, the request may be a replay of a call of a service deleted since.
    const isReplayable = service === null && idempotencyKey !== undefined
    if (fault !== null && !isReplayable) return noSuchModel(model, fault)
    return {
      serviceId: model,
      idempotencyKey,
      costUsdc: undefined,
      maxCostUsdc: maxCostOf(request.headers),
      responseMode: undefined,
      // Validated as an object by the schema; forwarded unchanged, as the provider validates all other members.
      payload: { body: request.body as Record<string, unknown>, query: undefined },
    }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
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
