import type { Deps } from '../../ports.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import { openSigningSecret } from './current-secret.ts'
import { readSealed } from './secret-store.ts'

/** Returns the signing secret of a key id, for any owner; null if there is none. */
export async function findSigningSecret(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  keyId: string,
): Promise<SigningSecret | null> {
  const sealed = await readSealed(deps.db, keyId)
  return sealed === undefined ? null : openSigningSecret(deps.secretBox, { id: keyId, sealed })
}
