import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { type AuditRow, listAuditRows } from './store.ts'

/**
 * Lists what has been done to an owner's provider secrets, newest first; deleted secrets keep their trail.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that no list handed out
 */
export async function listAuditLogs(
  deps: Pick<Deps, 'db'>,
  query: { owner: string; limit: number; cursor: string | undefined },
): Promise<Page<AuditRow>> {
  const { owner, limit } = query
  const beforeId = keyOfCursor(query.cursor)
  const rows = await listAuditRows(deps.db, { owner, beforeId, limit: limit + 1 })
  return pageOf(rows, limit, row => row.id)
}
