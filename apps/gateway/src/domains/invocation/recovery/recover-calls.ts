import { GatewayError } from '@farebox/wire/errors'
import { catchUp } from '../../ledger/read-current.ts'
import type { InvocationDeps } from '../invoke-service.ts'
import { adoptOrphans, endLease, forgetDeadInstances, renewLease } from '../records/store.ts'
import type { OpenCall, Settlement } from '../rules.ts'
import { releaseCalls, unchargedEnd } from './release-calls.ts'

/** Maximum other gateways that are watched, longest leases first. */
const PEERS_MAX = 10_000
/** Dead gateways stay listed this long, in seconds. */
const DEAD_INSTANCE_SECONDS = 86_400

/** Registers this gateway before its first hold, then renews its lease and observes the leases of others. */
export async function keepLease({
  leaseDb,
  instanceId,
  config,
  peers,
}: Pick<InvocationDeps, 'leaseDb' | 'instanceId' | 'config' | 'peers'>): Promise<void> {
  try {
    const lease = { instanceId, seconds: config.LEASE_SECONDS, peersMax: PEERS_MAX }
    peers.see(await renewLease(leaseDb, lease))
  } catch (error) {
    peers.interrupt()
    throw error
  }
}

/** Gives up the lease at the end of a graceful shutdown. */
export async function giveUpLease(deps: Pick<InvocationDeps, 'db' | 'instanceId'>): Promise<void> {
  await endLease(deps.db, deps.instanceId)
}

/**
 * Releases orphaned calls: of a gateway that died, or whose hold was committed although the answer of the commit was
 * lost. The request may have reached the provider, so it is never sent again; the key replays GATEWAY_INTERRUPTED, and
 * nothing is charged. A settlement that comes first wins. Each gateway takes over its own share; if it dies meanwhile,
 * they are orphans again.
 *
 * A gateway is dead when a whole lease passed without a renewal while this one could reach the database
 * (watch-peers.ts).
 *
 * @returns how many were released
 */
export async function recoverCalls(
  deps: Pick<
    InvocationDeps,
    'db' | 'calls' | 'instanceId' | 'config' | 'clock' | 'inFlight' | 'peers' | 'log'
  >,
): Promise<number> {
  const { instanceId, inFlight } = deps
  const leaseSeconds = deps.config.LEASE_SECONDS
  const aged = deps.clock.elapsed() - leaseSeconds * 1_000
  const released = await releaseCalls(deps, {
    async read(page) {
      // The calls of the previous page are gone from the tables then.
      await catchUp(deps.db)
      return adoptOrphans(deps.db, {
        ...page,
        instanceId,
        inFlight: inFlight.begunBy(aged),
        silent: deps.peers.silent(),
        leaseSeconds,
      })
    },
    release: orphan => (inFlight.has(orphan.invocationId) ? null : interruption(orphan)),
  })
  if (released > 0) deps.log.warn({ released }, 'released calls that were interrupted')
  await forgetDeadInstances(deps.db, DEAD_INSTANCE_SECONDS)
  return released
}

function interruption(orphan: OpenCall): Settlement {
  const { invocationId } = orphan
  const error = new GatewayError('GATEWAY_INTERRUPTED', { invocationId })
  const end = unchargedEnd(invocationId, { status: 'FAILED_RETRYABLE', error })
  return { ...orphan, ...end, from: 'PENDING', latencyMs: null, attempts: 0 }
}
