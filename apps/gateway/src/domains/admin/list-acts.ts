import type { AuditEntry } from '@farebox/wire/admin'
import sql, { empty } from 'sql-template-tag'
import { getAddress, isAddress } from 'viem'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'

/**
 * Lists acts of admins, newest first.
 *
 * @param query.actor  wallet of an admin, in lower case: only its acts
 * @param query.target id of a record, or address of a wallet in any case: only acts on it
 * @param query.inForce only suspensions that have not been lifted
 * @param query.action such as `service.suspend`: only acts of this kind
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listActs(
  db: Queryable,
  query: {
    limit: number
    cursor: string | undefined
    actor?: string | undefined
    target?: string | undefined
    action?: string | undefined
    inForce?: 'true' | undefined
  },
): Promise<Page<AuditEntry>> {
  const { limit, cursor, actor, action } = query
  const before = keyOfCursor(cursor, /^act_/)
  const target = query.target === undefined ? undefined : keptTarget(query.target)
  const rows = await db.query<Omit<AuditEntry, 'at'> & { at: Date }>(sql`
    select id, actor, action, target, before, after, reason, at from admin_audit where true
      ${before === null ? empty : sql`and id < ${before}`}
      ${actor === undefined ? empty : sql`and actor = ${actor}`}
      ${target === undefined ? empty : sql`and target = ${target}`}
      ${action === undefined ? empty : sql`and action = ${action}`}
      ${query.inForce === undefined ? empty : IN_FORCE}
    order by id desc limit ${limit + 1}`)
  const page = pageOf(rows, limit, row => row.id)
  const items = page.items.map(row => ({
    ...row,
    actor: getAddress(row.actor),
    target: isAddress(row.target) ? getAddress(row.target) : row.target,
    at: row.at.toISOString(),
  }))
  return { ...page, items }
}

/** The last act on a target that suspends or resumes is this suspension. */
const IN_FORCE = sql`
  and action in ('service.suspend', 'wallet.suspend') and not exists (
    select from admin_audit later where later.target = admin_audit.target and later.id > admin_audit.id
      and later.action in ('service.suspend', 'wallet.suspend', 'service.resume', 'wallet.resume'))`

/** Wallets are stored in lower case. */
const keptTarget = (target: string) => (isAddress(target, { strict: false }) ? target.toLowerCase() : target)
