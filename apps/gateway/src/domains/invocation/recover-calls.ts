import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { InvocationDeps } from './invoke-service.ts'
import { failedBody } from './present.ts'
import { NOTHING, type Settlement } from './rules.ts'
import { endLease, forgetDeadInstances, type OrphanRow, readOrphans, renewLease } from './store.ts'

/** Calls released in one sweep. */
const SWEEP_MAX = 500
/** Gateways that are gone stay listed this long, in seconds. */
const DEAD_INSTANCE_SECONDS = 86_400

/** Registers this gateway before its first hold, and renews its lease from then on. */
export async function keepLease(deps: Pick<InvocationDeps, 'db' | 'instanceId' | 'config'>): Promise<void> {
  await renewLease(deps.db, { instanceId: deps.instanceId, seconds: deps.config.LEASE_SECONDS })
}

/** Gives the lease up at the end of an orderly stop. */
export async function giveUpLease(deps: Pick<InvocationDeps, 'db' | 'instanceId'>): Promise<void> {
  await endLease(deps.db, deps.instanceId)
}

/**
 * Releases calls that nobody carries any more: those of a gateway that died, and those whose hold was committed
 * although the commit's answer was lost. The request may have reached the provider, so it is never sent again;
 * the key replays GATEWAY_INTERRUPTED, and nothing was charged. A settlement that comes first wins.
 *
 * @returns how many were released
 */
export async function recoverCalls(
  deps: Pick<InvocationDeps, 'db' | 'calls' | 'instanceId' | 'config' | 'clock' | 'underWay' | 'log'>,
): Promise<number> {
  const { config, instanceId } = deps
  const aged = deps.clock.now() - config.LEASE_SECONDS * 1_000
  const underWay = [...deps.underWay].flatMap(([id, { since }]) => (since <= aged ? [id] : []))
  const orphans = await readOrphans(deps.db, {
    ...{ instanceId, underWay, leaseSeconds: config.LEASE_SECONDS, limit: SWEEP_MAX },
  })
  const settled = await Promise.all(
    orphans
      .filter(orphan => !deps.underWay.has(orphan.id))
      .map(orphan => deps.calls.settle(interruption(orphan))),
  )
  const released = settled.filter(outcome => outcome.kind === 'settled').length
  if (released > 0) deps.log.warn({ released }, 'released calls that were interrupted')
  await forgetDeadInstances(deps.db, DEAD_INSTANCE_SECONDS)
  return released
}

function interruption(orphan: OrphanRow): Settlement {
  const { id: invocationId, credentialId, owner, provider, hold, drawnAt } = orphan
  const error = new GatewayError('GATEWAY_INTERRUPTED', { invocationId })
  const body = failedBody({ error, status: 'FAILED_RETRYABLE', requestId: invocationId })
  return {
    ...{ invocationId, credentialId, owner, provider, hold: usdc(hold), drawnAt, ...NOTHING },
    ...{ status: 'FAILED_RETRYABLE', errorCode: error.code, latencyMs: null, attempts: 0 },
    answer: { httpStatus: error.status, body },
  }
}
