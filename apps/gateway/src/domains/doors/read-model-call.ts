import type { Usdc } from '@farebox/money'
import { usdcIn } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { LlmDialect } from '@farebox/wire/llm-terms'
import type { FastifyRequest } from 'fastify'
import { invalidPayload } from '../../http/errors.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { Door } from './door.ts'

/** By which door the models of a dialect are called, for those who came to the other one. */
const DOORS = {
  openai: "speaks OpenAI's API: call POST /v1/chat/completions or /v1/responses.",
  anthropic: "speaks Anthropic's API: call POST /v1/messages.",
} as const

/**
 * Reads a request to a model as a call of the service that it names. What is wrong with it is returned, not thrown:
 * it is told once the rate has counted the request.
 */
export async function readModelCall(
  deps: { readonly directory: ServiceDirectory },
  door: Door,
  request: Pick<FastifyRequest, 'body' | 'headers'>,
): Promise<InvokeInput | GatewayError> {
  const parsed = door.bodyIn.safeParse(request.body ?? {})
  if (!parsed.success) return invalidPayload(parsed.error)
  const { model } = parsed.data
  try {
    const idempotencyKey = idempotencyKeyOf(request.headers) ?? undefined
    const service = await deps.directory.find(model)
    const fault = service === null ? 'does not exist.' : misfitOf(dialectOf(service), door.dialect)
    // A key may stand for an answer that was given while there still was such a service.
    const isReplayable = service === null && idempotencyKey !== undefined
    if (fault !== null && !isReplayable) return noSuchModel(model, fault)
    return {
      serviceId: model,
      idempotencyKey,
      costUsdc: undefined,
      maxCostUsdc: maxCostOf(request.headers),
      responseMode: undefined,
      // An object, as the schema has seen; and as it came, since what else is in it is the provider's to judge.
      payload: { body: request.body as Record<string, unknown>, query: undefined },
    }
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/**
 * Most that a call may cost, from `Farebox-Max-Cost-Usdc`: the `maxCostUsdc` of clients that send another API's body.
 *
 * @throws GatewayError INVALID_PAYLOAD for a value that is no amount
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

/** That a name stands for no model here: `fault` ends the sentence. */
export function noSuchModel(model: string, fault: string): GatewayError {
  return new GatewayError('SERVICE_NOT_FOUND', { model }, { message: `The model '${model}' ${fault}` })
}

/**
 * Why a service cannot be called by the doors of a dialect; null when it can.
 *
 * @param spoken what the service speaks; null when it is no model
 */
export function misfitOf(spoken: LlmDialect | null, dialect: LlmDialect): string | null {
  if (spoken === null) return 'is a service of another kind: call POST /api/v1/agent/invoke.'
  return spoken === dialect ? null : DOORS[spoken]
}

function dialectOf({ pricing }: CallableService): LlmDialect | null {
  return pricing.model === 'fixed' ? null : pricing.dialect
}
