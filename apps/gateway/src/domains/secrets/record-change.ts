import type { Deps, Tx } from '../../ports.ts'
import { type AuditRow, appendAudit } from './store.ts'

/** Appends a change of a provider or signing secret to the audit trail of its owner, who made it. */
export function recordChange(
  { ids }: Pick<Deps, 'ids'>,
  tx: Tx,
  change: Pick<AuditRow, 'owner' | 'secretId' | 'action' | 'detail'>,
): Promise<unknown> {
  return appendAudit(tx, { ...change, id: ids.next('aud'), actor: change.owner })
}
