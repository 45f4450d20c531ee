import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { type AuditRow, listAuditRows } from './store.ts'

/**
 * Lists the changes of an owner's provider and signing secrets, newest first, including those of deleted ones.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listAuditLogs(
  deps: Pick<Deps, 'db'>,
  query: { owner: string; limit: number; cursor: string | undefined },
): Promise<Page<AuditRow>> {
  const { owner, limit } = query
  const beforeId = keyOfCursor(query.cursor, /^aud_/)
  const rows = await listAuditRows(deps.db, { owner, beforeId, limit: limit + 1 })
  return pageOf(rows, limit, row => row.id)
}
