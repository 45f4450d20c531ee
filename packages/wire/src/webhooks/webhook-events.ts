import { z } from 'zod'
import { countOut, hashOut, idOut, isoTime, textOut, usdcOut, walletOut } from '../common.ts'
import { resetIntervalIn } from '../intervals.ts'
import { withdrawalStatuses } from '../money/withdrawals.ts'

/** Maximum length of other parties' text in an event. */
const TEXT_LENGTH_MAX = 1_000

/** Every event concerns one wallet and is sent to that wallet's webhooks. */
const about = { walletAddress: walletOut }
const service = {
  ...about,
  serviceId: idOut('svc'),
  serviceName: textOut(TEXT_LENGTH_MAX),
  agentToolName: z.string().regex(/^[a-z0-9_-]{1,64}$/),
  healthyTargets: countOut,
  totalTargets: countOut,
}

/** `data` of each event. Amounts and times are formatted as in the API. */
export const webhookData = {
  /** A deposit was credited. One event per `Deposited` event of the vault. */
  'deposit.credited': z.object({
    ...about,
    amountUsdc: usdcOut,
    chainId: z.int().min(1),
    txHash: hashOut,
    eventKey: z.string().regex(/^\d{1,20}:0x[0-9a-f]{64}:\d{1,10}$/),
  }),
  /** The balance, including holds, fell below the threshold. Sent again only after the balance was above it. */
  'balance.low': z.object({
    ...about,
    balanceUsdc: usdcOut,
    availableUsdc: usdcOut,
    heldUsdc: usdcOut,
    thresholdUsdc: usdcOut,
  }),
  /** A credential has used a share of its credit or calls. */
  'budget.reached': z.object({
    ...about,
    credentialId: idOut('cred'),
    limit: z.enum(['credential_calls', 'credential_credit']),
    percent: z.union([z.literal(80), z.literal(100)]),
    callsUsed: countOut,
    maxCalls: z.int().min(1).nullable(),
    spentUsdc: usdcOut,
    creditLimit: usdcOut.nullable(),
    resetInterval: resetIntervalIn,
    intervalStart: isoTime,
  }),
  /** More of the calls of the last hour failed than the owner's limit. */
  'failure_rate.high': z.object({
    ...about,
    calls: countOut,
    failures: countOut,
    percent: z.int().min(1).max(100).meta({ description: 'The limit.' }),
    minCalls: z.int().min(1),
  }),
  /** A credential has no calls or credit left, or too little credit for a call that was refused. */
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
  /** A call failed permanently; nothing was charged. */
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
  /** No target of a service is healthy; the service is not listed and not called. */
  'service.down': z.object(service),
  /** A service is available again. */
  'service.up': z.object(service),
  /** A withdrawal was opened or changed its status. */
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

/** Types of webhook events. */
export type WebhookEventType = keyof typeof webhookData

/** An event to announce. `data` lacks `walletAddress`, which is added later. */
export type WebhookEvent = {
  [Type in WebhookEventType]: {
    readonly type: Type
    readonly data: Omit<z.output<(typeof webhookData)[Type]>, 'walletAddress'>
  }
}[WebhookEventType]
