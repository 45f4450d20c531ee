import { type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Admission } from '../../src/domains/invocation/admission/admit.ts'
import type { ProviderOutcome } from '../../src/domains/invocation/pricing/settle-rules.ts'
import { readArchivedAnswer } from '../../src/domains/invocation/records/archived-answer.ts'
import { isTerminal, type Quote } from '../../src/domains/invocation/rules.ts'
import { settleCall } from '../../src/domains/invocation/settle-call.ts'
import type { CallableService } from '../../src/domains/services/find-callable.ts'
import type { Ask, Gateway, World } from './gateway.ts'
import type { Market, Service } from './market.ts'

/** A provider's answer to a call, and its due amount: null if it does not state its usage. */
export type Provided = { readonly outcome: ProviderOutcome; readonly due: bigint | null }

/** Answer of a caller. `isKnown`: replayed. */
export type CallerAnswer =
  | {
      readonly kind: 'answer'
      readonly invocationId: string
      readonly httpStatus: number
      readonly body: string
      readonly isKnown: boolean
    }
  | { readonly kind: 'error'; readonly error: unknown }

/** Prices of tokens: one micro-USDC each. */
const PER_TOKEN = usdc(1_000_000n)
const QUOTES_MAX = 3

/** A call with a key. */
export type KeyedCall = { readonly ask: Ask; readonly service: Service }

/**
 * Makes one paid call at a gateway: hold, provider, settlement, like invoke-service.ts.
 *
 * @param provide calls the provider
 */
export async function carry(
  world: World & { market: Market },
  gateway: Gateway,
  call: KeyedCall & {
    invocationId: string
    provide: (held: { invocationId: string; hold: Usdc }) => Promise<Provided>
  },
): Promise<CallerAnswer> {
  const { invocationId } = call
  const over = gateway.inFlight.begin(invocationId)
  try {
    const { admission, quote } = await holdAtLivePrice(world, gateway, call)
    if (admission.kind === 'known') return await replay(gateway, admission.invocation, call.ask.owner)
    if (admission.kind === 'refused') return { kind: 'error', error: admission.error }
    if (admission.kind === 'requote') return { kind: 'error', error: new GatewayError('UNAVAILABLE') }
    const { hold, provider, metering, serviceId } = quote
    const { outcome } = await call.provide({ invocationId, hold })
    const { credentialId, owner, requestHash } = call.ask
    const open = { invocationId, credentialId, owner, provider, serviceId, hold, drawnAt: admission.drawnAt }
    const { answer } = await settleCall(gateway, {
      call: { requestId: invocationId, requestHash },
      open,
      metering,
      service: callable(call.service, hold),
      outcome: { ...outcome, attempts: 1, latencyMs: 1, failed: [], last: null },
    })
    return { kind: 'answer', invocationId, httpStatus: answer.httpStatus, body: answer.body, isKnown: false }
  } catch (error) {
    return { kind: 'error', error }
  } finally {
    over()
  }
}

function callable(service: Service, price: Usdc): CallableService {
  return {
    id: service.id,
    provider: service.provider,
    validateResponse: () => null,
    pricing: { model: 'fixed', price, listedPrice: price },
  } as unknown as CallableService
}

async function holdAtLivePrice(
  { database, market }: World & { market: Market },
  gateway: Gateway,
  { ask, service, invocationId }: KeyedCall & { invocationId: string },
): Promise<{ admission: Admission; quote: Quote }> {
  let counted: Parameters<Gateway['calls']['hold']>[0]['counted'] = null
  for (let quotes = 1; ; quotes += 1) {
    const { id, provider, isMetered } = service
    const version = database.tables.services.get(id) ?? 0n
    const quote: Quote = {
      serviceId: id,
      provider,
      hold: market.prices.get(id) ?? usdc(1n),
      metering: isMetered
        ? {
            inputPricePer1M: PER_TOKEN,
            outputPricePer1M: PER_TOKEN,
            cacheReadPricePer1M: null,
            cacheWritePricePer1M: null,
            maxInputTokens: 1_000,
            maxOutputTokens: 1_000,
            preAuthMode: 'auto',
            isStreamed: false,
          }
        : null,
    }
    // The price is read from the gateway's directory; others may change it meanwhile.
    await gateway.machine.pause(1)
    const admission = await gateway.calls.hold({
      ...ask,
      invocationId,
      quote,
      counted,
      service: { id, version, names: [id] },
    })
    if (admission.kind !== 'requote' || quotes === QUOTES_MAX) return { admission, quote }
    counted = admission.rate
  }
}

async function replay(
  { rawDb }: Gateway,
  { id: invocationId, status }: Extract<Admission, { kind: 'known' }>['invocation'],
  owner: string,
): Promise<CallerAnswer> {
  if (!isTerminal(status)) return { kind: 'error', error: new GatewayError('IDEMPOTENCY_IN_PROGRESS') }
  const { httpStatus, body } = await readArchivedAnswer(rawDb, { invocationId, owner })
  return { kind: 'answer', invocationId, httpStatus, body, isKnown: true }
}
