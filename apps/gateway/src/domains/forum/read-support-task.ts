import { GatewayError } from '@farebox/wire/errors'
import type { SupportTask } from '@farebox/wire/forum'
import type { Queryable } from '../../ports.ts'
import { presentTask } from './present.ts'
import { findTask } from './support-store.ts'

/**
 * Returns a support task.
 *
 * @throws GatewayError SUPPORT_TASK_NOT_FOUND
 */
export async function readSupportTask(db: Queryable, taskId: string): Promise<SupportTask> {
  const row = await findTask(db, taskId)
  if (row === undefined) throw new GatewayError('SUPPORT_TASK_NOT_FOUND')
  return presentTask(row)
}
