import type { SupportStatus, SupportTask } from '@farebox/wire/forum'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'
import { presentTask } from './present.ts'
import { readTasks } from './support-store.ts'

/**
 * Lists support tasks, newest first.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listSupportTasks(
  db: Queryable,
  query: { status: SupportStatus | undefined; limit: number; cursor: string | undefined },
): Promise<Page<SupportTask>> {
  const { status, limit, cursor } = query
  const rows = await readTasks(db, { status, before: keyOfCursor(cursor, /^task_/), limit: limit + 1 })
  const page = pageOf(rows, limit, row => row.id)
  return { ...page, items: page.items.map(presentTask) }
}
