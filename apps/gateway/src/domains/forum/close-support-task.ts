import { GatewayError } from '@farebox/wire/errors'
import type { SupportTask } from '@farebox/wire/forum'
import type { Deps, Tx } from '../../ports.ts'
import { presentTask } from './present.ts'
import { NEXT } from './rules.ts'
import { lockTask, type SupportTaskRow, writeClosed } from './support-store.ts'

/**
 * Closes a support task and locks its topic. A closed task is returned unchanged.
 *
 * @param onClosed called in the transaction if this call closed the task
 * @throws GatewayError SUPPORT_TASK_NOT_FOUND
 */
export async function closeSupportTask(
  deps: Pick<Deps, 'db'>,
  input: { taskId: string; note: string; closedBy: string },
  onClosed: (tx: Tx, change: { before: SupportTask; after: SupportTask }) => Promise<unknown>,
): Promise<SupportTask> {
  const { taskId: id, note, closedBy } = input
  return deps.db.transaction(async tx => {
    const row = await taskOf(tx, id)
    const before = presentTask(row)
    if (!NEXT[row.status].includes('closed')) return before
    await writeClosed(tx, { id, note, closedBy })
    const after = presentTask(await taskOf(tx, id))
    await onClosed(tx, { before, after })
    return after
  })
}

async function taskOf(tx: Tx, id: string): Promise<SupportTaskRow> {
  const row = await lockTask(tx, id)
  if (row === undefined) throw new GatewayError('SUPPORT_TASK_NOT_FOUND')
  return row
}
