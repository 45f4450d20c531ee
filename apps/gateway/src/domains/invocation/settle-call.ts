import { feeOf, type Usdc } from '@farebox/money'
import { GatewayError, isUnavailable } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import type { CallableService, CallPricing } from '../services/find-callable.ts'
import { UNBUILT } from '../services/schema/payload-schema.ts'
import type { CallLedger, Settled } from './admission/commit-calls.ts'
import { highestInputPrice, type Metering } from './pricing/metering-rules.ts'
import { endOf } from './pricing/settle-rules.ts'
import type { CalledProvider } from './provider/call-provider.ts'
import type { InFlightCalls } from './provider/in-flight-calls.ts'
import { faultOfError, verdictOn } from './provider/verdict-rules.ts'
import { recordLateTrouble } from './record-metrics.ts'
import type { CallTally } from './records/call-tally.ts'
import { failedAnswer, type Receipt, succeededBody } from './records/present.ts'
import { readAnswer, type StoredAnswer } from './records/store.ts'
import { type InvocationStatus, NOTHING, type OpenCall, type Settlement } from './rules.ts'
import type { Attempt, TargetTally } from './targets/target-tally.ts'

/** Interval of settlement retries while the database is away, in ms. */
const SETTLE_RETRY_MS = 250
/** Maximum duration of the retries. Few answers are pending then, as no call is admitted without a database. */
const SETTLE_MS_MAX = 86_400_000

/** Answer of a call, as JSON text. */
export type Answer = {
  readonly httpStatus: number
  readonly body: string
  readonly isReplay: boolean
  /** True if its result is no longer stored; absent: false. */
  readonly isExpired?: boolean
  /** How the stream of the sink ended; absent if the sink was not opened. */
  readonly streamed?: 'whole' | 'cut'
}

type SettleDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'metrics' | 'log'> & {
  readonly calls: CallLedger
  readonly tally: CallTally
  readonly targets: TargetTally
  readonly inFlight: InFlightCalls
}

/** A call after its provider call. */
export type CalledCall = {
  readonly call: { readonly requestId: string; readonly requestHash: Buffer }
  readonly open: OpenCall
  readonly service: CallableService
  readonly metering: Metering | null
  readonly outcome: CalledProvider
}

/**
 * Ends a call by its outcome and returns the caller's answer.
 *
 * @returns `status` is the final state; null if another settlement was first
 */
export async function settleCall(
  deps: SettleDeps,
  called: CalledCall,
): Promise<{ readonly answer: Answer; readonly status: InvocationStatus | null }> {
  const { settlement, reported, fault } = settlementOf(deps, called)
  const stored = await settle(deps, settlement)
  const { outcome } = called
  const status = stored === null ? settlement.status : null
  if (status !== null) {
    tallyCall(deps.tally, called, settlement)
    tallyAttempts(deps.targets, called, settlement, fault)
  }
  const answer = { ...(stored ?? reported), isReplay: false }
  if (outcome.kind !== 'streamed') return { answer, status }
  return { answer: { ...answer, streamed: outcome.stream.end === 'whole' ? 'whole' : 'cut' }, status }
}

/**
 * Counts a call for or against its provider. Calls to one's own services do not count; services are rated by calls that
 * were charged, or failed and would have been. Output above the bound of the call does not count.
 */
function tallyCall(tally: CallTally, called: CalledCall, settlement: Settlement): void {
  const { open, service, metering, outcome } = called
  const verdict = open.owner === open.provider ? null : verdictOn(outcome, settlement.status)
  if (verdict === null) return
  const isGood = verdict === 'good'
  const isPaid = isGood ? settlement.charge > 0n : open.hold > 0n
  const ratedAs = isPaid ? { owner: open.owner, ...pricesOf(service.pricing, open.hold) } : null
  const usage = settlement.status === 'SUCCEEDED' ? settlement.metered?.usage : undefined
  const outputTokens = Math.min(usage?.outputTokens ?? 0, metering?.maxOutputTokens ?? 0)
  tally.record({ serviceId: service.id, isGood, latencyMs: outcome.latencyMs, outputTokens, ratedAs })
}

/** Counts the attempts of a call at targets; the last one ended as the call did. */
function tallyAttempts(
  targets: TargetTally,
  { open, outcome: { failed, last } }: CalledCall,
  { charge, fee }: Settlement,
  fault: Attempt['fault'],
): void {
  if (last !== null) targets.record(open, { attempts: [...failed, { ...last, fault }], earned: charge - fee })
}

/** Returns the prices of a call; a fixed price is its hold. */
function pricesOf(pricing: CallPricing, hold: Usdc): { price: bigint; outputPrice: bigint } {
  if (pricing.model === 'fixed') return { price: hold, outputPrice: 0n }
  return { price: highestInputPrice(pricing), outputPrice: pricing.outputPricePer1M }
}

/** Returns the record and the answer of a call, and whose fault it was if it failed. */
function settlementOf(
  deps: Pick<SettleDeps, 'clock' | 'config' | 'metrics'>,
  called: CalledCall,
): {
  settlement: Settlement
  reported: StoredAnswer
  fault: Attempt['fault']
} {
  const { call, open, metering, outcome, service } = called
  const { invocationId, hold } = open
  const { attempts, latencyMs } = outcome
  const end = endOf({ invocationId, hold, metering }, outcome)
  const recording = outcome.kind === 'streamed' ? outcome.stream.recording : null
  const common = { ...open, from: 'PENDING', latencyMs, attempts } as const
  if (end.status !== 'SUCCEEDED') {
    const { status, error } = end
    recordLateTrouble(deps.metrics, error)
    const reported = failedAnswer({ error, status, requestId: call.requestId })
    const failed = { ...common, ...NOTHING, errorCode: error.code }
    if (status !== 'PROCESSING') {
      const settlement = { ...failed, status, recording: null, answer: reported, metered: null }
      return { reported, settlement, fault: faultOfError(error) }
    }
    const { pendingResult } = end
    const reason = String(error.context.reason)
    return { reported, settlement: { ...failed, status, recording, reason, pendingResult }, fault: 'open' }
  }
  const { charge, metered, resultText, responseHash } = end
  const finishedAt = new Date(deps.clock.now())
  const receipt = {
    ...receiptOf(called, { responseHash, finishedAt }),
    ...(metered !== null && { usage: metered.usage }),
  }
  const issues =
    outcome.kind === 'answered'
      ? service.validateResponse(outcome.isPartial ? UNBUILT : outcome.result)
      : null
  const body = succeededBody({
    charge,
    resultText,
    receipt: issues === null ? receipt : { ...receipt, responseIssues: issues },
    bill: metered && metering && { ...metered, hold, charge, preAuthMode: metering.preAuthMode },
  })
  const answer = { httpStatus: 200, body }
  const fee = feeOf(charge, deps.config.PLATFORM_FEE_BPS)
  const paid = { ...common, charge, fee, errorCode: null, metered, recording }
  return { reported: answer, settlement: { ...paid, status: 'SUCCEEDED', answer, finishedAt }, fault: null }
}

function receiptOf(
  { call, open, service, outcome }: CalledCall,
  { responseHash, finishedAt }: { responseHash: string; finishedAt: Date },
): Receipt {
  const { attempts, latencyMs } = outcome
  return {
    invocationId: open.invocationId,
    serviceId: service.id,
    credentialId: open.credentialId,
    startedAt: open.drawnAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    latencyMs,
    attempts,
    requestHash: call.requestHash.toString('hex'),
    responseHash,
  }
}

/**
 * Settles, with retries while the database is away.
 *
 * @returns null if this settlement ended the call; if another was first (this process was thought dead), the stored
 * answer
 * @throws GatewayError UNAVAILABLE if the database was away for a lease; the settlement continues
 */
async function settle(deps: SettleDeps, settlement: Settlement): Promise<StoredAnswer | null> {
  const settled = await deps.calls.settle(settlement).catch((error: unknown) => {
    if (isUnavailable(error)) return settleOnceBack(deps, settlement, error)
    throw error
  })
  if (settled.kind === 'settled') return null
  const stored = await readAnswer(deps.db, settlement)
  if (stored !== null) return stored
  throw new GatewayError('GATEWAY_INTERRUPTED', { invocationId: settlement.invocationId })
}

/** Retries until the database is back. The caller gets its answer within a lease, or `away`. */
async function settleOnceBack(
  deps: SettleDeps,
  settlement: Settlement,
  away: GatewayError,
): Promise<Settled> {
  const { clock, log } = deps
  const { invocationId } = settlement
  const over = deps.inFlight.begin(invocationId)
  const settling = retrySettlement(deps, settlement).finally(over)
  settling.catch((error: unknown) => log.error({ invocationId, err: error }, 'a call could not be settled'))
  const patience = clock.pause(deps.config.LEASE_SECONDS * 1_000).then(() => null)
  const settled = await Promise.race([settling, patience])
  if (settled === null) throw away
  return settled
}

async function retrySettlement({ calls, clock }: SettleDeps, settlement: Settlement): Promise<Settled> {
  const giveUpAt = clock.elapsed() + SETTLE_MS_MAX
  for (;;) {
    await clock.pause(SETTLE_RETRY_MS)
    try {
      return await calls.settle(settlement)
    } catch (error) {
      if (!isUnavailable(error) || clock.elapsed() >= giveUpAt) throw error
    }
  }
}
