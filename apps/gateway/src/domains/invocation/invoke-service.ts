import { formatUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import type { Deps } from '../../ports.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Breakers } from '../services/breakers.ts'
import type { CallableService, ServiceDirectory } from '../services/find-callable.ts'
import type { Admission, HoldRequest, KnownInvocation } from './admit.ts'
import { type CallIdentity, callProvider, type ProviderOutcome } from './call-provider.ts'
import type { CallLedger, Settled } from './commit-calls.ts'
import { failedBody, succeededBody } from './present.ts'
import { feeOf, isTerminal, NOTHING, type Quote, quoteFixed, type Settlement } from './rules.ts'
import { readAnswer } from './store.ts'

/** How often a price may change between quote and hold before the caller is told to retry. */
const QUOTES_MAX = 3
/** Pause between tries to settle while the database is away, in ms. */
const SETTLE_RETRY_MS = 250
const RETRY_AFTER_SECONDS = 1

/** What invocation needs beside the ports; made once by {@link createInvocations}. */
export type InvocationDeps = Deps & {
  readonly calls: CallLedger
  readonly directory: ServiceDirectory
  readonly breakers: Breakers
  /** Ids of the calls that this process carries now. */
  readonly underWay: Map<string, { readonly since: number }>
}

/** A call as the door understood it. */
export type Call = {
  readonly agent: Agent
  readonly requestId: string
  readonly idempotencyKey: string | null
  readonly requestHash: Buffer
  readonly traceparent: string | undefined
  /** The parsed request; or what is wrong with it, told once the rate has counted it. */
  readonly input: InvokeInput | GatewayError
}

/** The answer to a call, as JSON text. */
export type Answer = { readonly httpStatus: number; readonly body: string; readonly isReplay: boolean }

/** An answer with the rate its request was counted at; `rate` is null when the rate refused it. */
export type Invoked = { readonly rate: Rate | null } & (
  | { readonly answer: Answer }
  | { readonly error: GatewayError }
)

/**
 * One paid call, from quote to answer: quote, hold, call the provider, settle. A refusal leaves no trace but its
 * count against the rate; once money is held, the call ends in exactly one stored answer, even when this process
 * does not live to see it (see recover-calls.ts).
 */
export async function invokeService(deps: InvocationDeps, call: Call): Promise<Invoked> {
  const invocationId = deps.ids.next('inv')
  deps.underWay.set(invocationId, { since: deps.clock.now() })
  try {
    const { admission, service } = await holdAtLivePrice(deps, call, invocationId)
    const { rate } = admission
    if (admission.kind === 'refused') return { rate, error: admission.error }
    if (admission.kind === 'known') return { rate, ...(await replay(deps, admission.invocation)) }
    if (admission.kind === 'requote' || service === null || call.input instanceof GatewayError) {
      const message = 'The service is changing. Discover again and retry.'
      return {
        rate,
        error: new GatewayError('UNAVAILABLE', {}, { message, retryAfterSeconds: RETRY_AFTER_SECONDS }),
      }
    }
    const identity: CallIdentity = { invocationId, traceparent: call.traceparent }
    const outcome = await callProvider(deps, service, call.input.payload, identity)
    const settlement = settlementOf(deps, call, {
      invocationId,
      service,
      drawnAt: admission.drawnAt,
      outcome,
    })
    return { rate, answer: await settle(deps, settlement) }
  } finally {
    deps.underWay.delete(invocationId)
  }
}

/** Quotes and holds; quotes again when the service changed in between, so that the price held is the live one. */
async function holdAtLivePrice(
  deps: InvocationDeps,
  call: Call,
  invocationId: string,
): Promise<{ admission: Admission; service: CallableService | null }> {
  const { agent, requestHash } = call
  let counted: Rate | null = null
  for (let quotes = 1; ; quotes += 1) {
    const { quote, service } = await quoteCall(deps, call)
    const request: HoldRequest = {
      invocationId,
      credentialId: agent.credentialId,
      owner: agent.owner,
      idempotencyKey: call.idempotencyKey ?? invocationId,
      requestHash,
      quote,
      service,
      counted,
    }
    const admission = await deps.calls.hold(request)
    if (admission.kind !== 'requote' || quotes === QUOTES_MAX) return { admission, service }
    counted = admission.rate
    if (service !== null) deps.directory.forget(service.id)
  }
}

async function quoteCall(
  deps: InvocationDeps,
  { input, agent }: Call,
): Promise<{ quote: Quote | GatewayError; service: CallableService | null }> {
  if (input instanceof GatewayError) return { quote: input, service: null }
  const service = await deps.directory.find(input.serviceId)
  if (service === null) return { quote: new GatewayError('SERVICE_NOT_FOUND'), service }
  const issues = service.validateRequest(input.payload.body)
  if (issues !== null) return { quote: new GatewayError('INVALID_PAYLOAD', { issues }), service }
  try {
    const ask = {
      ...{ reference: input.serviceId, asserted: input.costUsdc ?? null },
      allowed: agent.allowedServices,
    }
    return { quote: quoteFixed(service, ask), service }
  } catch (error) {
    if (error instanceof GatewayError) return { quote: error, service }
    throw error
  }
}

/** The stored answer of a known key, or word that the first call still runs. */
async function replay(
  deps: Pick<Deps, 'db'>,
  invocation: KnownInvocation,
): Promise<{ answer: Answer } | { error: GatewayError }> {
  const { id: invocationId, status } = invocation
  const answer = isTerminal(status) ? await readAnswer(deps.db, invocationId) : null
  if (answer !== null) return { answer: { ...answer, isReplay: true } }
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS }
  return { error: new GatewayError('IDEMPOTENCY_IN_PROGRESS', { invocationId, status }, options) }
}

function settlementOf(
  deps: InvocationDeps,
  call: Call,
  end: { invocationId: string; service: CallableService; drawnAt: Date; outcome: ProviderOutcome },
): Settlement {
  const { invocationId, service, drawnAt, outcome } = end
  const { attempts, latencyMs } = outcome
  const hold: Usdc = service.price
  const common = {
    ...{
      invocationId,
      credentialId: call.agent.credentialId,
      owner: call.agent.owner,
      provider: service.provider,
    },
    ...{ hold, drawnAt, latencyMs, attempts },
  }
  if (outcome.kind === 'failed') {
    const { status, error } = outcome.failure
    const body = failedBody({ error, status, requestId: call.requestId })
    return {
      ...common,
      ...NOTHING,
      status,
      errorCode: error.code,
      answer: { httpStatus: error.status, body },
    }
  }
  const receipt = {
    ...{ invocationId, serviceId: service.id, credentialId: call.agent.credentialId },
    startedAt: drawnAt.toISOString(),
    finishedAt: new Date(deps.clock.now()).toISOString(),
    ...{
      latencyMs,
      attempts,
      requestHash: call.requestHash.toString('hex'),
      responseHash: outcome.responseHash,
    },
  }
  const responseIssues = service.validateResponse(outcome.result)
  const body = succeededBody({
    chargedUsdc: formatUsdc(hold),
    receipt: responseIssues === null ? receipt : { ...receipt, responseIssues },
    resultText: outcome.resultText,
  })
  const fee = feeOf(hold, deps.config.PLATFORM_FEE_BPS)
  return {
    ...common,
    charge: hold,
    fee,
    status: 'SUCCEEDED',
    errorCode: null,
    answer: { httpStatus: 200, body },
  }
}

/**
 * Settles, for as long as the hold is ours: the lease. When another settlement was first (this process was
 * thought dead), the answer is the one that was stored.
 */
async function settle(deps: InvocationDeps, settlement: Settlement): Promise<Answer> {
  const giveUpAt = deps.clock.now() + deps.config.LEASE_SECONDS * 1_000
  for (;;) {
    const settled = await deps.calls.settle(settlement).catch((error: unknown): Settled | null => {
      const isAway = error instanceof GatewayError && error.code === 'UNAVAILABLE'
      if (!isAway || deps.clock.now() >= giveUpAt) throw error
      return null
    })
    if (settled?.kind === 'settled') return { ...settlement.answer, isReplay: false }
    if (settled?.kind === 'lost') {
      const stored = await readAnswer(deps.db, settlement.invocationId)
      if (stored !== null) return { ...stored, isReplay: false }
      throw new GatewayError('GATEWAY_INTERRUPTED', { invocationId: settlement.invocationId })
    }
    await deps.clock.pause(SETTLE_RETRY_MS)
  }
}
