import { hash } from 'node:crypto'
import type { AuthorizeBody } from '@farebox/wire/oauth'
import type { Deps } from '../../ports.ts'
import type { ServiceNames } from '../credentials/allowed-services.ts'
import { issueCredential } from '../credentials/issue-credential.ts'
import { oauthFault } from './oauth-fault.ts'
import { readAuthorization } from './read-authorization.ts'
import { insertGrant, markAuthorized } from './store.ts'

/** Lifetime of an authorization code, in seconds. */
const CODE_SECONDS = 60
const CODE_BYTES = 32

/**
 * Mints a credential for a client, with the limits chosen by its owner, and returns where the browser takes the code.
 * The token is created when the client redeems the code; until then nobody has one.
 *
 * @param owner lower-case wallet
 * @throws GatewayError as readAuthorization and issueCredential do
 */
export async function authorizeClient(
  deps: Pick<Deps, 'db' | 'rawDb' | 'ids' | 'config' | 'publicUrl'> & { services: ServiceNames },
  owner: string,
  body: AuthorizeBody,
): Promise<{ redirectTo: string; credentialId: string }> {
  const { client, redirectUri, codeChallenge, resource, redirectTo } = await readAuthorization(
    deps,
    body.request,
  )
  const code = deps.ids.nonce(CODE_BYTES)
  const limits = { ...body.credential, name: body.credential.name ?? client.name }
  const { credential } = await issueCredential(deps, owner, limits, {
    detail: { client: { id: client.id, name: client.name, redirectUri } },
    async write(tx, credentialId) {
      if (!(await markAuthorized(tx, client.id)))
        throw oauthFault('invalid_client', 'client_id: The client no longer exists.')
      await insertGrant(tx, {
        credentialId,
        clientId: client.id,
        owner,
        redirectUri,
        resource,
        codeChallenge,
        codeDigest: digestOf(code),
        codeSeconds: CODE_SECONDS,
      })
    },
  })
  return { redirectTo: redirectTo({ code }), credentialId: credential.id }
}

/** Returns the stored digest of a code. */
export function digestOf(code: string): Buffer {
  return hash('sha256', code, 'buffer')
}
