import type { Deps } from '../../ports.ts'
import { deleteReplacedSecrets } from './secret-store.ts'

/** Time for which a replaced secret is kept, in seconds; longer than any call that it signed. */
const KEPT_SECONDS = 600

/** Deletes replaced signing secrets. */
export async function pruneSigningSecrets(deps: Pick<Deps, 'db'>): Promise<void> {
  await deleteReplacedSecrets(deps.db, KEPT_SECONDS)
}
