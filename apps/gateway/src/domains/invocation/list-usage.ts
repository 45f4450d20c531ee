import { keyOfCursor, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { resolveServiceId } from '../services/resolve-service-id.ts'
import { presentUsage } from './present.ts'
import { listByOwner, type UsageFilter } from './store.ts'

/**
 * One page of the calls that a wallet's credentials made, newest first.
 *
 * @param query.filter.serviceId service id or agentToolName
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export async function listUsage(
  deps: Pick<Deps, 'db'>,
  query: { owner: string; filter: UsageFilter; cursor: string | undefined; limit: number },
): Promise<{ logs: ReturnType<typeof presentUsage>[]; nextCursor: string | null }> {
  const { owner, limit } = query
  const beforeId = keyOfCursor(query.cursor)
  const { serviceId: reference } = query.filter
  const serviceId = reference === undefined ? undefined : await resolveServiceId(deps, reference)
  if (serviceId === null) return { logs: [], nextCursor: null }
  const rows = await listByOwner(deps.db, {
    owner,
    filter: { ...query.filter, serviceId },
    beforeId,
    limit: limit + 1,
  })
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  return { logs: items.map(presentUsage), nextCursor }
}
