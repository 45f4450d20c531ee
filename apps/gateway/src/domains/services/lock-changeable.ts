import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { lockService, type ServiceRow } from './store.ts'

/**
 * Locks a service for a change by its owner.
 *
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's), SERVICE_ALREADY_DELETED, SERVICE_SUSPENDED
 */
export async function lockChangeable(
  tx: Tx,
  query: { reference: string; owner: Address },
): Promise<ServiceRow> {
  const service = await lockService(tx, query)
  if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND')
  if (service.deletedAt !== null) throw new GatewayError('SERVICE_ALREADY_DELETED', { serviceId: service.id })
  if (service.suspendedAt !== null) throw new GatewayError('SERVICE_SUSPENDED', { serviceId: service.id })
  return service
}
