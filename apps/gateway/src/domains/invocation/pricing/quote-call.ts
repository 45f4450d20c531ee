import type { Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { CallableService, ServiceDirectory } from '../../services/find-callable.ts'
import type { SchemaIssue } from '../../services/schema/payload-schema.ts'
import { checkedPayload, readQuery } from '../provider/query-rules.ts'
import { type Quote, quoteFixed } from '../rules.ts'
import { type LlmRequest, prepareLlmRequest } from './llm-request-rules.ts'
import type { Metering } from './metering-rules.ts'
import { quoteWithinCaps } from './quote-within-caps.ts'

/** What a call would cost and what it would send; or why it may not be made. */
export type QuotedCall = {
  readonly quote: Quote | GatewayError
  /** The service that was looked at; null when there is none. */
  readonly service: CallableService | null
  /** The request to the model, for a metered service. */
  readonly llm: LlmRequest | null
  /** Its parameters for the target, as a query string; empty when there are none. */
  readonly query: string
  /** Whether the caller gets a stream, if the provider answers with one. */
  readonly wantsStream: boolean
}

/**
 * Quotes a call at the service's live price: the saved one for callers who assert a price, the one in force for others. What is wrong with it is a value: it is told only after rate and
 * known key have had their turn.
 *
 * @param call.canStream     whether the caller's API can pass a stream on
 * @param call.assertsPrice  whether the caller must say what a fixed price is
 * @param call.perCall       reads the cap of the credential on one call, micro-USDC; null when it has none
 */
export async function quoteCall(
  deps: { readonly directory: ServiceDirectory },
  call: {
    input: InvokeInput | GatewayError
    canStream: boolean
    assertsPrice: boolean
    perCall: () => Promise<Usdc | null>
  },
): Promise<QuotedCall> {
  const { input } = call
  const nothing = { llm: null, query: '', wantsStream: false }
  if (input instanceof GatewayError) return { quote: input, service: null, ...nothing }
  const service = await deps.directory.find(input.serviceId)
  if (service === null) return { quote: new GatewayError('SERVICE_NOT_FOUND'), service, ...nothing }
  try {
    const query = queryOf(service, input.payload)
    // A cap lowers what a model may write; a fixed price above it is refused by the ledger.
    const perCall = service.pricing.model === 'fixed' ? null : await call.perCall()
    const { hold, metering, llm } = priceCall(service, input, { ...call, perCall })
    const wantsStream = llm?.isStreamed ?? (call.canStream && input.responseMode === 'stream')
    const quote = { serviceId: service.id, provider: service.provider, hold, metering }
    return { quote, service, llm, query, wantsStream }
  } catch (error) {
    if (error instanceof GatewayError) return { quote: error, service, ...nothing }
    throw error
  }
}

/** The query string of a call whose payload fits its service. */
function queryOf(service: CallableService, payload: InvokeInput['payload']): string {
  const query = readQuery(service.method, payload)
  if ('issues' in query) throw invalidPayload(query.issues)
  const found = checkedPayload(service.method, payload).map(service.validateRequest)
  const [issues = null] = found
  if (issues !== null && found.every(each => each !== null)) throw invalidPayload(issues)
  return query.text
}

function invalidPayload(issues: readonly SchemaIssue[]): GatewayError {
  const [first] = issues
  const message = first && `${first.path} ${first.message}.`
  return new GatewayError('INVALID_PAYLOAD', { issues }, message === undefined ? {} : { message })
}

/** The only place that knows fixed prices from metered ones before the call; settle-rules.ts is the one after it. */
function priceCall(
  { pricing, targets }: CallableService,
  input: InvokeInput,
  { canStream, assertsPrice, perCall }: { canStream: boolean; assertsPrice: boolean; perCall: Usdc | null },
): { hold: Usdc; metering: Metering | null; llm: LlmRequest | null } {
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
  const ask = { canStream, wantsStream: responseMode === 'stream' }
  const llm = prepareLlmRequest({ ...pricing, targets }, payload.body, ask)
  return quoteWithinCaps(pricing, llm, { maxCost, perCall })
}
