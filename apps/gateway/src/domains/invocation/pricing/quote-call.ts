import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import { roundIntegers } from '../../../http/exact-integers.ts'
import { budgetExhausted } from '../../credentials/draw-budgets.ts'
import type { CallableService, ServiceDirectory } from '../../services/find-callable.ts'
import { NO_PARTS, type RequestParts, readRequest } from '../provider/read-request.ts'
import { type Quote, quoteFixed } from '../rules.ts'
import { type LlmRequest, type LlmShape, prepareLlmRequest } from './llm-request-rules.ts'
import type { Metering } from './metering-rules.ts'
import { quoteWithinCaps } from './quote-within-caps.ts'

/** The price of a call and its request; or why it is refused. */
export type QuotedCall = {
  readonly quote: Quote | GatewayError
  /** The service that was read, or null. */
  readonly service: CallableService | null
  /** Request to the model, for a metered service. */
  readonly llm: LlmRequest | null
  readonly parts: RequestParts
  /** True if the caller gets a stream, should the provider answer with one. */
  readonly wantsStream: boolean
}

/**
 * Quotes a call at the service's live price: the saved one for callers who state a price, the effective one for others.
 * Faults are returned, not thrown: they are reported only after the checks of rate and known key.
 *
 * @param call.canStream     true if the caller's API can pass a stream on
 * @param call.assertsPrice  true if the caller must state a fixed price
 * @param call.isFlat        true if the members of the body are the arguments of a tool
 * @param call.shape         shape of the caller's model API; absent: derived from the request
 * @param call.perCall       reads the credential's cap per call, micro-USDC; null if it has none
 * @param call.holdMax       maximum hold, micro-USDC: a larger one is BUDGET_EXHAUSTED by the limit `payment`
 */
export async function quoteCall(
  deps: { readonly directory: ServiceDirectory },
  call: {
    input: InvokeInput | GatewayError
    canStream: boolean
    assertsPrice: boolean
    isFlat: boolean
    shape?: LlmShape | undefined
    perCall: () => Promise<Usdc | null>
    holdMax?: Usdc | undefined
  },
): Promise<QuotedCall> {
  const { input, holdMax } = call
  const none = { body: undefined, query: undefined, path: undefined }
  const nothing = { llm: null, parts: { ...NO_PARTS, payload: none }, wantsStream: false }
  if (input instanceof GatewayError) return { quote: input, service: null, ...nothing }
  const service = await deps.directory.find(input.serviceId)
  if (service === null) return { quote: new GatewayError('SERVICE_NOT_FOUND'), service, ...nothing }
  try {
    const parts = readRequest(service, input.payload, call.isFlat)
    // A cap lowers the output bound of a model; the ledger refuses a fixed price above it.
    const perCall = service.pricing.model === 'fixed' ? null : await call.perCall()
    const { hold, metering, llm } = priceCall(
      service,
      { ...input, payload: parts.payload },
      { ...call, perCall },
    )
    if (holdMax !== undefined && hold > holdMax)
      throw budgetExhausted('payment', { remaining: holdMax, required: hold })
    const wantsStream = llm?.isStreamed ?? (call.canStream && input.responseMode === 'stream')
    const quote = { serviceId: service.id, provider: service.provider, hold, metering }
    return { quote, service, llm, parts, wantsStream }
  } catch (error) {
    if (error instanceof GatewayError) return { quote: error, service, ...nothing }
    throw error
  }
}

/** Returns the hold of a call whose body is unknown: the listed price, or the hold of an empty prompt; micro-USDC. */
export function leastHold({ pricing, targets }: CallableService): Usdc {
  if (pricing.model === 'fixed') return pricing.listedPrice
  const empty = prepareLlmRequest({ ...pricing, targets }, {}, { canStream: false, wantsStream: false })
  try {
    return quoteWithinCaps(pricing, empty, { maxCost: null, perCall: null }).hold
  } catch (error) {
    if (error instanceof GatewayError) return pricing.maxAutoHold
    throw error
  }
}

/** The only place before the call that distinguishes fixed from metered prices; after it, settle-rules.ts. */
function priceCall(
  { pricing, targets, agentToolName }: CallableService,
  input: InvokeInput,
  caller: {
    canStream: boolean
    assertsPrice: boolean
    isFlat: boolean
    shape?: LlmShape | undefined
    perCall: Usdc | null
  },
): { hold: Usdc; metering: Metering | null; llm: LlmRequest | null } {
  const { canStream, assertsPrice, isFlat, shape, perCall } = caller
  const { costUsdc: asserted = null, maxCostUsdc: maxCost = null, payload, responseMode } = input
  if (pricing.model === 'fixed') {
    const { price, listedPrice } = pricing
    const hold =
      assertsPrice || asserted !== null
        ? quoteFixed(price, { asserted, maxCost })
        : quoteFixed(listedPrice, { asserted: listedPrice, maxCost })
    return { hold, metering: null, llm: null }
  }
  if (asserted !== null) {
    const message =
      'costUsdc: A token-metered service has no price per call; maxCostUsdc caps what it may cost.'
    const issues = [{ path: 'costUsdc', message }]
    throw new GatewayError('INVALID_PAYLOAD', { issues }, { message })
  }
  const ask = { canStream, wantsStream: responseMode === 'stream', shape }
  // Services of models take JSON: a text was refused before.
  const body = typeof payload.body === 'object' ? roundIntegers(payload.body) : undefined
  // A tool is its model: callers of it need not name it, and the APIs of models require a name.
  const named = isFlat && body !== undefined ? { model: agentToolName, ...body } : body
  const llm = prepareLlmRequest({ ...pricing, targets }, named, ask)
  return quoteWithinCaps(pricing, llm, { maxCost, perCall })
}
