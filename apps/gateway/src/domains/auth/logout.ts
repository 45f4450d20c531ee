import type { Deps } from '../../ports.ts'
import type { Owner } from './require-owner.ts'
import { insertRevokedSession } from './store.ts'

/** Revokes a session: every gateway rejects its token from now on. Other sessions of the wallet are unaffected. */
export function logout(deps: Pick<Deps, 'db'>, session: Pick<Owner, 'jti' | 'expiresAt'>): Promise<void> {
  return insertRevokedSession(deps.db, session)
}
