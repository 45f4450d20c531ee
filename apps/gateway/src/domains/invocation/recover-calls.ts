import { GatewayError } from '@farebox/wire/errors'
import type { InvocationDeps } from './invoke-service.ts'
import { failedBody } from './present.ts'
import { NOTHING, type OpenCall, type Settlement } from './rules.ts'
import { adoptOrphans, endLease, forgetDeadInstances, renewLease } from './store.ts'

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
 * the key replays GATEWAY_INTERRUPTED, and nothing was charged. A settlement that comes first wins. Of several gateways
 * each takes over calls of its own to release; should it die over them, they are orphans again.
 *
 * @returns how many were released
 */
export async function recoverCalls(
  deps: Pick<InvocationDeps, 'db' | 'calls' | 'instanceId' | 'config' | 'clock' | 'underWay' | 'log'>,
): Promise<number> {
  const { config, instanceId } = deps
  const aged = deps.clock.now() - config.LEASE_SECONDS * 1_000
  const orphans = await adoptOrphans(deps.db, {
    ...{
      instanceId,
      underWay: deps.underWay.begunBy(aged),
      leaseSeconds: config.LEASE_SECONDS,
      limit: SWEEP_MAX,
    },
  })
  const settled = await Promise.all(
    orphans
      .filter(orphan => !deps.underWay.has(orphan.invocationId))
      .map(orphan => deps.calls.settle(interruption(orphan))),
  )
  const released = settled.filter(outcome => outcome.kind === 'settled').length
  if (released > 0) deps.log.warn({ released }, 'released calls that were interrupted')
  await forgetDeadInstances(deps.db, DEAD_INSTANCE_SECONDS)
  return released
}

function interruption(orphan: OpenCall): Settlement {
  const { invocationId } = orphan
  const status = 'FAILED_RETRYABLE'
  const error = new GatewayError('GATEWAY_INTERRUPTED', { invocationId })
  const body = failedBody({ error, status, requestId: invocationId })
  return {
    ...{ ...orphan, ...NOTHING, from: 'PENDING', status },
    ...{ errorCode: error.code, latencyMs: null, attempts: 0, metered: null, recording: null },
    answer: { httpStatus: error.status, body },
  }
}
