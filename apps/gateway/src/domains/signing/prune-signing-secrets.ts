import type { Deps } from '../../ports.ts'
import { deleteReplacedSecrets } from './secret-store.ts'

/** How long a secret is kept after its last signature, in seconds: no call that it signed is under way by then. */
const KEPT_SECONDS = 600

/** Deletes signing secrets that were replaced. */
export async function pruneSigningSecrets(deps: Pick<Deps, 'db'>): Promise<void> {
  await deleteReplacedSecrets(deps.db, KEPT_SECONDS)
}
