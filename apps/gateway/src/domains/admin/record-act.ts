import sql from 'sql-template-tag'
import type { Deps, Tx } from '../../ports.ts'

/** An act of an admin, with the record before and after it. */
export type AdminAct = {
  /** Wallet of the admin, lower-case. */
  readonly actor: string
  /** Name of the act, such as `withdrawal.approve`. */
  readonly action: string
  /** Id of the record. */
  readonly target: string
  readonly before: unknown
  readonly after: unknown
  readonly reason: string | null
}

/**
 * Appends an act of an admin to the audit log, which is append-only.
 *
 * @param tx the transaction of the act itself, so that neither commits without the other
 */
export async function recordAct(deps: Pick<Deps, 'ids'>, tx: Tx, act: AdminAct): Promise<void> {
  const { actor, action, target, before, after, reason } = act
  await tx.query(sql`
    insert into admin_audit (id, actor, action, target, before, after, reason)
    values (${deps.ids.next('act')}, ${actor}, ${action}, ${target},
      ${JSON.stringify(before ?? null)}::jsonb, ${JSON.stringify(after ?? null)}::jsonb, ${reason})`)
}
