import type { ServiceRecord } from '@farebox/wire/services'
import type { Address } from 'viem'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { presentRecord } from './present.ts'
import { readServicesOf } from './store.ts'

/**
 * Returns the services of an owner, newest first, without deleted ones.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listServices(
  deps: Pick<Deps, 'db'>,
  query: { owner: Address; limit: number; cursor: string | undefined },
): Promise<Page<ServiceRecord>> {
  const { owner, limit } = query
  const beforeId = keyOfCursor(query.cursor, /^svc_/)
  const rows = await readServicesOf(deps.db, { owner, beforeId, limit: limit + 1 })
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  return { items: items.map(presentRecord), nextCursor }
}
