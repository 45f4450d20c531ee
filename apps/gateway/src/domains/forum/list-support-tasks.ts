import type { SupportTask } from '@farebox/wire/forum'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'
import { presentTask } from './present.ts'
import { readTasks, type TasksQuery } from './support-store.ts'

/**
 * Lists support tasks.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listSupportTasks(
  db: Queryable,
  query: Omit<TasksQuery, 'after'> & { cursor: string | undefined },
): Promise<Page<SupportTask>> {
  const { status, order, limit, cursor } = query
  const after = keyOfCursor(cursor, /^task_/)
  const rows = await readTasks(db, { status, order, after, limit: limit + 1 })
  const page = pageOf(rows, limit, row => row.id)
  return { ...page, items: page.items.map(presentTask) }
}
