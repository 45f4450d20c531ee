import { tokenDigest } from '@farebox/wire/tokens'
import type { Deps } from '../../ports.ts'
import { revokeCredential } from '../credentials/end-credential.ts'
import type { AgentGuard } from '../credentials/require-agent.ts'
import { findGranted } from './store.ts'

/**
 * Revokes the credential of a token that was minted for this client (RFC 7009). Ignores unknown tokens and those of
 * other clients: the answer is the same.
 */
export async function revokeToken(
  deps: Pick<Deps, 'db' | 'rawDb' | 'ids'> & { agents: AgentGuard },
  { token, clientId }: { token: string; clientId: string },
): Promise<void> {
  const key = await findGranted(deps.rawDb, { clientId, tokenDigest: tokenDigest(token) })
  if (key !== undefined) await revokeCredential(deps, key, { client: { id: clientId } })
}
