import type { Deps } from '../../ports.ts'
import type { Owner } from './require-owner.ts'
import { insertRevokedSession } from './store.ts'

/** Ends a session: its token is refused from now on, everywhere. The wallet's other sessions go on. */
export function logout(deps: Pick<Deps, 'db'>, session: Pick<Owner, 'jti' | 'expiresAt'>): Promise<void> {
  return insertRevokedSession(deps.db, session)
}
