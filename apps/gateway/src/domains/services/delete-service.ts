import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { lockChangeable } from './lock-changeable.ts'
import { markDeleted } from './store.ts'
import { schedule } from './targets/write-targets.ts'

/**
 * Deletes an inactive service permanently. Its names stay taken.
 *
 * @param input.reference service id or agentToolName
 * @throws GatewayError SERVICE_NOT_FOUND (also for another owner's), SERVICE_ALREADY_DELETED, SERVICE_SUSPENDED,
 * SERVICE_DELETE_ACTIVE_CONFLICT
 */
export function deleteService(
  deps: Pick<Deps, 'db'>,
  input: { owner: Address; reference: string },
): Promise<{ serviceId: string }> {
  return deps.db.transaction(async tx => {
    const service = await lockChangeable(tx, input)
    if (service.isActive) throw new GatewayError('SERVICE_DELETE_ACTIVE_CONFLICT', { serviceId: service.id })
    await markDeleted(tx, service.id)
    await schedule(tx, service.id, 'never')
    return { serviceId: service.id }
  })
}
