import type { EarnedCall, UsageLog } from '@farebox/wire/invocation'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { resolveServiceId } from '../services/resolve-service-id.ts'
import { presentEarned, presentUsage } from './present.ts'
import { type InvocationFilter, type InvocationRow, listInvocations, type Party } from './store.ts'

/** Which calls, and which page of them. `filter.serviceId` is a service id or an agentToolName. */
type Query = {
  readonly filter: InvocationFilter
  readonly cursor: string | undefined
  readonly limit: number
}

/**
 * One page of the calls that a wallet's credentials made, newest first.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export async function listUsage(
  deps: Pick<Deps, 'db'>,
  { owner, ...query }: Query & { readonly owner: string },
): Promise<{ logs: UsageLog[]; nextCursor: string | null }> {
  const { items, nextCursor } = await listCalls(deps, { owner }, query)
  return { logs: items.map(presentUsage), nextCursor }
}

/**
 * One page of the calls that were made to a wallet's services, newest first, as their provider may see them.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export async function listEarned(
  deps: Pick<Deps, 'db'>,
  { provider, ...query }: Query & { readonly provider: string },
): Promise<{ invocations: EarnedCall[]; nextCursor: string | null }> {
  const { items, nextCursor } = await listCalls(deps, { provider }, query)
  return { invocations: items.map(presentEarned), nextCursor }
}

async function listCalls(deps: Pick<Deps, 'db'>, party: Party, query: Query): Promise<Page<InvocationRow>> {
  const { limit, filter } = query
  const beforeId = keyOfCursor(query.cursor)
  const { serviceId: reference } = filter
  const serviceId = reference === undefined ? undefined : await resolveServiceId(deps, reference)
  if (serviceId === null) return { items: [], nextCursor: null }
  const rows = await listInvocations(deps.db, {
    party,
    filter: { ...filter, serviceId },
    beforeId,
    limit: limit + 1,
  })
  return pageOf(rows, limit, row => row.id)
}
