import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Deps } from '../../ports.ts'
import { type Credential, credentialAt } from './rules.ts'
import { listCredentialRows, readClock } from './store.ts'

/**
 * Lists the credentials of an owner, newest first, without deleted ones.
 *
 * @param query.isActiveOnly  also omits revoked and expired ones
 * @param query.id            only this one
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listCredentials(
  deps: Pick<Deps, 'db'>,
  query: {
    owner: string
    isActiveOnly: boolean
    id?: string | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<Page<Credential>> {
  const { owner, isActiveOnly, id = null, limit } = query
  const beforeId = keyOfCursor(query.cursor, /^cred_/)
  const [rows, now] = await Promise.all([
    listCredentialRows(deps.db, { owner, isActiveOnly, id, beforeId, limit: limit + 1 }),
    readClock(deps.db),
  ])
  const credentials = rows.map(row => credentialAt(row, now))
  return pageOf(credentials, limit, credential => credential.id)
}
