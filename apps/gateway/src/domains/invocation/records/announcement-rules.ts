import { formatUsdc, usdc } from '@farebox/money'
import type { ResetInterval } from '@farebox/wire/intervals'
import type { WebhookEvent } from '@farebox/wire/webhook-events'
import type { Settlement } from '../rules.ts'

/** A credential that ran out of calls or credit. Amounts in micro-USDC. */
export type ExhaustedCredential = {
  readonly limit: 'credential_calls' | 'credential_credit'
  /** True if nothing is left; false if a call that needed more was refused. */
  readonly isEmpty: boolean
  readonly credential: {
    readonly id: string
    readonly owner: string
    readonly maxCalls: bigint | null
    readonly creditLimit: bigint | null
    readonly callsUsed: bigint
    readonly spent: bigint
    readonly held: bigint
    readonly resetInterval: ResetInterval
    readonly intervalStart: Date
  }
}

type OwnerAnnouncement = WebhookEvent & { readonly owner: string; readonly onceKey?: string }

/**
 * Returns the announcements for the owners of a batch.
 *
 * @param batch.settlements those that changed something
 */
export function announcementsOf(batch: {
  settlements: readonly Settlement[]
  exhausted: readonly ExhaustedCredential[]
}): OwnerAnnouncement[] {
  return [...batch.settlements.flatMap(failedCall), ...batch.exhausted.map(exhaustedCredential)]
}

function failedCall(settlement: Settlement): OwnerAnnouncement[] {
  const { owner, invocationId, credentialId, serviceId, status, attempts, latencyMs } = settlement
  if (status !== 'FAILED_RETRYABLE' && status !== 'FAILED_FINAL') return []
  const errorCode = settlement.errorCode ?? 'INTERNAL'
  const data = { invocationId, credentialId, serviceId, status, errorCode, attempts, latencyMs }
  return [{ owner, type: 'invocation.failed', data }]
}

/** Once per interval and limit, however many calls are refused; again after a limit was raised. */
function exhaustedCredential({ credential, limit, isEmpty }: ExhaustedCredential): OwnerAnnouncement {
  const { id, owner, maxCalls, creditLimit, spent, held, intervalStart } = credential
  const left = creditLimit === null ? null : creditLimit - spent - held
  const cap = limit === 'credential_calls' ? maxCalls : `${creditLimit} ${intervalStart.toISOString()}`
  return {
    owner,
    type: 'credential.exhausted',
    onceKey: `${id} ${limit} ${cap} ${isEmpty ? 'empty' : 'short'}`,
    data: {
      credentialId: id,
      limit,
      callsUsed: Number(credential.callsUsed),
      maxCalls: maxCalls === null ? null : Number(maxCalls),
      spentUsdc: formatUsdc(usdc(spent)),
      heldUsdc: formatUsdc(usdc(held)),
      creditLimit: creditLimit === null ? null : formatUsdc(usdc(creditLimit)),
      remainingUsdc: left === null ? null : formatUsdc(usdc(left > 0n ? left : 0n)),
      resetInterval: credential.resetInterval,
      intervalStart: intervalStart.toISOString(),
    },
  }
}
