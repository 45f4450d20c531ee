import sql from 'sql-template-tag'
import type { Deps, Tx } from '../../ports.ts'

/** What an admin did, to which record, and how that looked before and after. */
export type AdminAct = {
  /** Wallet of the admin, lower-case. */
  readonly actor: string
  /** What was done, e.g. `withdrawal.approve`. */
  readonly action: string
  /** Id of the record. */
  readonly target: string
  readonly before: unknown
  readonly after: unknown
  readonly reason: string | null
}

/**
 * Writes an act of an admin into the audit log, which is append-only.
 *
 * @param tx the transaction of the act itself: neither is without the other
 */
export async function recordAct(deps: Pick<Deps, 'ids'>, tx: Tx, act: AdminAct): Promise<void> {
  const { actor, action, target, before, after, reason } = act
  await tx.query(sql`
    insert into admin_audit (id, actor, action, target, before, after, reason)
    values (${deps.ids.next('act')}, ${actor}, ${action}, ${target},
      ${JSON.stringify(before ?? null)}::jsonb, ${JSON.stringify(after ?? null)}::jsonb, ${reason})`)
}
