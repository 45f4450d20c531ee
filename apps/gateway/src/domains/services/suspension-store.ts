import sql from 'sql-template-tag'
import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import type { Standing } from './rules.ts'
import { readServiceId } from './store.ts'

/** A service, as needed for suspension. */
export type SuspendableRow = Standing & {
  readonly id: string
  readonly owner: Address
  readonly agentToolName: string
  readonly serviceName: string
}

const columns = sql`id, owner, agent_tool_name, service_name, is_active, suspended_at, deleted_at`

/** Locks a referenced service of any owner and returns it. */
export async function lockAnyService(tx: Tx, reference: string): Promise<SuspendableRow | undefined> {
  const id = await readServiceId(tx, reference)
  if (id === null) return undefined
  const [row] = await tx.query<SuspendableRow>(
    sql`select ${columns} from services where id = ${id} for update`,
  )
  return row
}

/** Suspends a locked service, or resumes it with null. Its version increases either way (by a trigger). */
export async function writeSuspension(
  tx: Tx,
  id: string,
  suspension: { readonly reason: string | null } | null,
): Promise<SuspendableRow> {
  const [row] = await tx.query<SuspendableRow>(sql`
    update services set suspended_at = case when ${suspension !== null}::boolean then now() end,
      suspension_reason = ${suspension?.reason ?? null}
    where id = ${id} returning ${columns}`)
  if (row === undefined) throw new Error('The service that was just locked is gone.')
  return row
}
