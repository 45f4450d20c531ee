import { parseUsdc, type Usdc, ZERO } from '@farebox/money'
import { isObject } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { type InvokeInput, invokeIn } from '@farebox/wire/invocation'
import { invalidPayload } from '../../http/errors.ts'
import type { Deps } from '../../ports.ts'
import { leastHold, quoteCall } from '../invocation/pricing/quote-call.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { SchemaIssue } from '../services/schema/payload-schema.ts'

/** A request for a resource. */
export type ResourceRequest = {
  /** Service id or agentToolName. */
  readonly reference: string
  readonly method: string
  readonly query: Readonly<Record<string, unknown>>
  /** Parsed body; a GatewayError if it could not be read. */
  readonly body: unknown
}

/** Price of a request. */
export type Offer = {
  readonly service: CallableService
  /** Maximum cost, in micro-USDC. */
  readonly amount: Usdc
  /** Minimum of a payment for it: at least `X402_MIN_USDC`; 0 if it is free. */
  readonly due: Usdc
  /** The call; or why it cannot be made, whoever pays. */
  readonly call: InvokeInput | GatewayError
}

/**
 * Quotes a request: the listed price, or the maximum cost of the body at a model. A request that cannot be served has a
 * price too: that of a call without a body.
 *
 * @throws GatewayError SERVICE_NOT_FOUND
 */
export async function quoteResource(
  deps: { readonly directory: ServiceDirectory; readonly config: Deps['config'] },
  request: ResourceRequest,
): Promise<Offer> {
  const service = await deps.directory.find(request.reference)
  if (service === null) throw new GatewayError('SERVICE_NOT_FOUND')
  const least = parseUsdc(deps.config.X402_MIN_USDC)
  const offer = (amount: Usdc, call: Offer['call']): Offer => {
    const due = amount > ZERO && amount < least ? least : amount
    return { service, amount, due, call }
  }
  let fault = new GatewayError('INVALID_PAYLOAD')
  for (const call of readingsOf(service, request)) {
    const quote = call instanceof GatewayError ? call : await quoteOf(deps, call)
    if (!(quote instanceof GatewayError) && !(call instanceof GatewayError)) return offer(quote, call)
    if (quote instanceof GatewayError) fault = quote
  }
  return offer(leastHold(service), asAsked(fault))
}

/** Returns a fault of a call with its members named as in the request, which has them in its URL or its body. */
function asAsked(fault: GatewayError): GatewayError {
  const { issues } = fault.context
  if (!Array.isArray(issues)) return fault
  const ownName = (text: string) => text.replace(/^payload\.(?:\w+\.)?/, '')
  const named = issues.map(({ path, message }: SchemaIssue) => ({ path: ownName(path), message }))
  return new GatewayError(fault.code, { issues: named }, { message: ownName(fault.message) })
}

/** Parts of a service by which a request is read. */
type Named = Pick<CallableService, 'id' | 'placeholders'>

/**
 * Yields the calls that a request can be, each or why it is none. Parameters of a URL have no types: numbers are tried
 * where texts do not fit.
 */
export function* readingsOf(service: Named, request: ResourceRequest): Generator<InvokeInput | GatewayError> {
  yield readCall(service, request, payloadOf(service, request))
  yield readCall(service, request, payloadOf(service, typed(request)))
}

async function quoteOf(
  deps: { readonly directory: ServiceDirectory },
  input: InvokeInput,
): Promise<Usdc | GatewayError> {
  const { quote } = await quoteCall(deps, {
    input,
    canStream: true,
    assertsPrice: false,
    isFlat: true,
    perCall: async () => null,
  })
  return quote instanceof GatewayError ? quote : quote.hold
}

type Arguments = { readonly body: unknown; readonly query?: unknown }

/**
 * Returns the arguments of a request as those of a tool. Of a GET all are in the URL; otherwise the URL holds those of
 * path and query.
 */
function payloadOf(service: Named, { method, query, body }: ResourceRequest): Arguments {
  const { maxCostUsdc: _, ...given } = query
  if (method === 'GET' || method === 'HEAD')
    return { body: Object.keys(given).length === 0 ? undefined : given }
  const inPath = Object.entries(given).filter(([name]) => service.placeholders.includes(name))
  const inQuery = Object.entries(given).filter(([name]) => !service.placeholders.includes(name))
  const isPlain = inPath.length === 0 || !isObject(body)
  return {
    body: isPlain ? body : Object.assign(Object.fromEntries(inPath), body),
    ...(inQuery.length > 0 && { query: Object.fromEntries(inQuery) }),
  }
}

const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/

function typed(request: ResourceRequest): ResourceRequest {
  const typedValue = (value: unknown): unknown => {
    if (value === 'true' || value === 'false') return value === 'true'
    return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  }
  const { maxCostUsdc, ...given } = request.query
  const query = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typedValue(value)]))
  return { ...request, query: maxCostUsdc === undefined ? query : Object.assign(query, { maxCostUsdc }) }
}

function readCall(
  service: Named,
  { query, body }: ResourceRequest,
  payload: Arguments,
): InvokeInput | GatewayError {
  if (body instanceof GatewayError) return body
  const read = invokeIn.safeParse({ serviceId: service.id, maxCostUsdc: query.maxCostUsdc, payload })
  return read.success ? read.data : invalidPayload(read.error)
}
