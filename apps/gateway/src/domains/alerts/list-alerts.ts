import type { ShownAlert } from '@farebox/wire/alerts'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { listAlertRows } from './alert-store.ts'
import { presentAlert } from './present.ts'

/**
 * Lists the alerts of a wallet, newest first.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listAlerts(
  deps: Pick<Deps, 'db'>,
  owner: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<ShownAlert>> {
  const { limit, cursor } = query
  const rows = await listAlertRows(deps.db, {
    owner,
    before: keyOfCursor(cursor, /^alrt_/),
    limit: limit + 1,
  })
  const { items, nextCursor } = pageOf(rows, limit, row => row.id)
  return { items: items.map(presentAlert), nextCursor }
}
