import { z } from 'zod'
import { countOut, hashOut, idOut, isoTime, textOut, usdcOut, walletOut } from './common.ts'
import { resetIntervalIn } from './intervals.ts'
import { withdrawalStatuses } from './withdrawals.ts'

/** Longest text of others in an event. */
const TEXT_LENGTH_MAX = 1_000

/** Every event is about one wallet: the one whose webhooks are told. */
const about = { walletAddress: walletOut }
const service = {
  ...about,
  serviceId: idOut('svc'),
  serviceName: textOut(TEXT_LENGTH_MAX),
  agentToolName: z.string().regex(/^[a-z0-9_-]{1,64}$/),
  healthyTargets: countOut,
  totalTargets: countOut,
}

/** `data` of each event. Amounts and times as everywhere on the wire. */
export const webhookData = {
  /** A deposit is in the balance. One event per `Deposited` of the vault. */
  'deposit.credited': z.object({
    ...about,
    amountUsdc: usdcOut,
    chainId: z.int().min(1),
    txHash: hashOut,
    eventKey: z.string().regex(/^\d{1,20}:0x[0-9a-f]{64}:\d{1,10}$/),
  }),
  /** The balance, holds included, has gone below the threshold. Told again after it was above. */
  'balance.low': z.object({
    ...about,
    balanceUsdc: usdcOut,
    availableUsdc: usdcOut,
    heldUsdc: usdcOut,
    thresholdUsdc: usdcOut,
  }),
  /** A credential has no call or no credit left, or less credit than a call needed that was refused. */
  'credential.exhausted': z.object({
    ...about,
    credentialId: idOut('cred'),
    limit: z.enum(['credential_calls', 'credential_credit']),
    callsUsed: countOut,
    maxCalls: z.int().min(1).nullable(),
    spentUsdc: usdcOut,
    heldUsdc: usdcOut,
    creditLimit: usdcOut.nullable(),
    remainingUsdc: usdcOut.nullable(),
    resetInterval: resetIntervalIn,
    intervalStart: isoTime,
  }),
  /** A call failed for good, and nothing was charged. */
  'invocation.failed': z.object({
    ...about,
    invocationId: idOut('inv'),
    credentialId: idOut('cred'),
    serviceId: idOut('svc'),
    status: z.enum(['FAILED_RETRYABLE', 'FAILED_FINAL']),
    errorCode: z.string().regex(/^[A-Z0-9_]{1,64}$/),
    attempts: countOut,
    latencyMs: countOut.nullable(),
  }),
  /** No target of a service is healthy any more: it is not offered, and not called. */
  'service.down': z.object(service),
  /** A service is there again. */
  'service.up': z.object(service),
  /** A withdrawal was opened, or has another status. */
  'withdrawal.updated': z.object({
    ...about,
    withdrawalId: idOut('wd'),
    amountUsdc: usdcOut,
    status: z.enum(withdrawalStatuses),
    previousStatus: z.enum(withdrawalStatuses).nullable(),
    txHash: hashOut.nullable(),
    reason: textOut(TEXT_LENGTH_MAX).nullable(),
  }),
} as const

/** What a webhook can tell of. */
export type WebhookEventType = keyof typeof webhookData

/** An event as it is announced: what `data` says beside the wallet. */
export type WebhookEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type
    readonly data: Omit<z.output<(typeof webhookData)[Type]>, 'walletAddress'>
  }
}[WebhookEventType]
