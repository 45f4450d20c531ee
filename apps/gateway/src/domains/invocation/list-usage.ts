import { keyOfCursor, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { presentUsage } from './present.ts'
import { listByOwner, type UsageFilter } from './store.ts'

/** One page of the calls that a wallet's credentials made, newest first. */
export async function listUsage(
  deps: Pick<Deps, 'db'>,
  query: { owner: string; filter: UsageFilter; cursor: string | undefined; limit: number },
): Promise<{ logs: ReturnType<typeof presentUsage>[]; nextCursor: string | null }> {
  const { owner, filter, limit } = query
  const rows = await listByOwner(deps.db, {
    owner,
    filter,
    beforeId: keyOfCursor(query.cursor),
    limit: limit + 1,
  })
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  return { logs: items.map(presentUsage), nextCursor }
}
