import sql from 'sql-template-tag'
import { getAddress } from 'viem'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'

/** An entry of the audit log as the wire shows it. */
export type AuditEntry = {
  readonly id: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly before: unknown
  readonly after: unknown
  readonly reason: string | null
  readonly at: string
}

/**
 * What admins have done, newest first.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export async function listActs(
  db: Queryable,
  query: { limit: number; cursor: string | undefined },
): Promise<Page<AuditEntry>> {
  const before = keyOfCursor(query.cursor)
  const rows = await db.query<Omit<AuditEntry, 'at'> & { at: Date }>(sql`
    select id, actor, action, target, before, after, reason, at from admin_audit
    where ${before}::text is null or id < ${before} order by id desc limit ${query.limit + 1}`)
  const page = pageOf(rows, query.limit, row => row.id)
  const items = page.items.map(row => ({ ...row, actor: getAddress(row.actor), at: row.at.toISOString() }))
  return { ...page, items }
}
