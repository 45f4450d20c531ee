import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { deleteCredential } from '../credentials/end-credential.ts'
import type { AgentGuard } from '../credentials/require-agent.ts'
import { deleteGrant, deletePendingClients, listUnredeemed } from './store.ts'

/** Retention of a client without consent, in seconds. */
const PENDING_SECONDS = 86_400
/** Time after the end of its code when an unfetched credential is deleted, in seconds. */
const UNREDEEMED_SECONDS = 600
const DELETED_AT_ONCE_MAX = 500

/** Job: deletes clients without consent, and credentials that nobody has a token of, as their client never fetched it. */
export async function pruneOauth(
  deps: Pick<Deps, 'db' | 'rawDb' | 'ids'> & { agents: Pick<AgentGuard, 'forget'> },
): Promise<void> {
  const limit = DELETED_AT_ONCE_MAX
  await deletePendingClients(deps.rawDb, { seconds: PENDING_SECONDS, limit })
  for (const { isRotated, ...key } of await listUnredeemed(deps.rawDb, {
    seconds: UNREDEEMED_SECONDS,
    limit,
  })) {
    if (!isRotated) {
      await deleteCredential(deps, key).catch((error: unknown) => {
        // Its owner, or another gateway, was first.
        if (!(error instanceof GatewayError) || error.code !== 'CREDENTIAL_NOT_FOUND') throw error
      })
    }
    await deleteGrant(deps.rawDb, key.id)
  }
}
