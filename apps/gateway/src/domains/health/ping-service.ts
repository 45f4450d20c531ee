import { GatewayError } from '@farebox/wire/errors'
import type { ServiceRecord } from '@farebox/wire/services'
import type { Address } from 'viem'
import { readOwnService } from '../services/read-service.ts'
import { admitPing } from './admit-ping.ts'
import { type Finding, type ProbeDeps, probeService } from './probe-service.ts'

/**
 * Probes a service on request of its owner.
 *
 * @param input.reference service id or agentToolName
 * @returns the findings, and the resulting state of the service
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's), SERVICE_ALREADY_DELETED, SERVICE_SUSPENDED,
 * RATE_LIMITED beyond `PINGS_PER_MINUTE` of the service or of the host of a target
 */
export async function pingService(
  deps: ProbeDeps,
  input: { reference: string; owner: Address },
): Promise<{ findings: readonly Finding[]; service: ServiceRecord }> {
  const { serviceId, status, invoke } = await readOwnService(deps, input)
  if (status === 'deleted') throw new GatewayError('SERVICE_ALREADY_DELETED', { serviceId })
  if (status === 'suspended') throw new GatewayError('SERVICE_SUSPENDED', { serviceId })
  await admitPing(deps, { serviceId, urls: invoke.targets.map(({ url }) => url) })
  const findings = await probeService(deps, serviceId, 'ping')
  return { findings, service: await readOwnService(deps, { owner: input.owner, reference: serviceId }) }
}
