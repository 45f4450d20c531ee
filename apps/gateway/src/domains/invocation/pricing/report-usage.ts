import { feeOf } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../../runtime/retry-after.ts'
import { drawCapture } from '../../secrets/draw-capture.ts'
import type { CallLedger } from '../admission/commit-calls.ts'
import { pendingReceipt, succeededBody } from '../records/present.ts'
import { isTerminal, type Settlement } from '../rules.ts'
import { type MeteredCall, readMeteredCall, waitingCall } from './metered-store.ts'
import { meteredEnd } from './settle-rules.ts'
import { withOwnCost } from './usage-cost-rules.ts'
import type { Usage } from './usage-rules.ts'

/** A provider's usage report for a call of its service. */
export type UsageReport = {
  readonly invocationId: string
  /** Wallet of the provider, in lower case. */
  readonly provider: string
  /** Provider secret of the report; its limit bounds the captured amount. */
  readonly secretId: string
  readonly usage: Usage
}

/**
 * Captures a call with pending usage: once, at its quoted prices, never above its hold. The same report again changes
 * nothing.
 *
 * @throws GatewayError INVOCATION_NOT_FOUND (unknown, of another provider, or not metered), IDEMPOTENCY_IN_PROGRESS
 * while the call is running, USAGE_ALREADY_FINAL, INVALID_STATE if its row in open_calls is missing, BUDGET_EXHAUSTED
 * and PROVIDER_SECRET_INVALID by the secret
 */
export async function reportUsage(
  deps: Pick<Deps, 'db' | 'clock' | 'config'> & { readonly calls: CallLedger },
  report: UsageReport,
): Promise<void> {
  const call = await readMeteredCall(deps.db, report)
  if (call === null) throw new GatewayError('INVOCATION_NOT_FOUND')
  if (call.status === 'PENDING') {
    const message = 'The call is still running. Report its usage if it becomes PROCESSING.'
    throw new GatewayError(
      'IDEMPOTENCY_IN_PROGRESS',
      {},
      { message, retryAfterSeconds: RETRY_AFTER_SECONDS.busy },
    )
  }
  if (isTerminal(call.status)) return requireSame(call, report)
  if (!call.isOpen) {
    const message =
      'The records of this call are inconsistent. Its hold stays until the operator has repaired them; report again then.'
    throw new GatewayError(
      'INVALID_STATE',
      { invocationId: report.invocationId, status: call.status },
      { message },
    )
  }
  const settlement = captureOf(deps, call, report)
  const { secretId } = report
  const { charge } = settlement
  const settled = await deps.calls
    .settleAfter(settlement, tx => drawCapture(tx, { secretId, amount: charge }))
    .catch((error: unknown): GatewayError => {
      if (error instanceof GatewayError) return error
      throw error
    })
  const isRefused = settled instanceof GatewayError
  if (!isRefused && settled.kind === 'settled') return
  // Another report or the release was first: the limit of the secret no longer matters.
  const now = await readMeteredCall(deps.db, report)
  if (now === null) throw new GatewayError('INVOCATION_NOT_FOUND')
  if (isRefused && !isTerminal(now.status)) throw settled
  requireSame(now, report)
}

/** A repeated report is accepted; a different one is too late. */
function requireSame(call: MeteredCall, { usage, invocationId }: UsageReport): void {
  const { status, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = call
  const isSame =
    inputTokens === BigInt(usage.inputTokens) &&
    outputTokens === BigInt(usage.outputTokens) &&
    (cacheReadTokens ?? 0n) === BigInt(usage.cacheReadTokens) &&
    (cacheWriteTokens ?? 0n) === BigInt(usage.cacheWriteTokens)
  if (!isSame) throw new GatewayError('USAGE_ALREADY_FINAL', { invocationId, status })
}

function captureOf(
  deps: Pick<Deps, 'clock' | 'config'>,
  call: MeteredCall,
  { usage, secretId }: UsageReport,
): Settlement {
  const { hold } = call
  const { charge, metered } = meteredEnd(call, usage, hold, secretId)
  // The fee of its hold, not the current one.
  const fee = feeOf(charge, call.feeBps ?? deps.config.PLATFORM_FEE_BPS)
  const finishedAt = new Date(deps.clock.now())
  const body = succeededBody({
    charge,
    receipt: pendingReceipt(call, finishedAt, usage),
    resultText: withOwnCost(call.pendingResult ?? 'null', charge),
    bill: { ...metered, hold, charge, preAuthMode: call.preAuthMode },
  })
  return {
    ...waitingCall(call),
    from: 'PROCESSING',
    status: 'SUCCEEDED',
    charge,
    fee,
    errorCode: null,
    metered,
    recording: null,
    answer: { httpStatus: 200, body },
    finishedAt,
  }
}
