import { type RegisterClientBody, registerClientBody } from '@farebox/wire/oauth'
import type { Deps } from '../../ports.ts'
import { oauthFault } from './oauth-fault.ts'
import { faultOfRedirectUri } from './rules.ts'
import { type ClientRow, insertClient } from './store.ts'

const UNNAMED = 'Unnamed client'

/**
 * Registers a client (RFC 7591). Open to everybody: a registration gives no access. It is kept for a day unless an
 * owner consents.
 *
 * @throws GatewayError INVALID_REQUEST with `invalid_redirect_uri` or `invalid_client_metadata`
 */
export async function registerClient(
  deps: Pick<Deps, 'rawDb' | 'ids' | 'publicUrl'>,
  body: unknown,
): Promise<ClientRow> {
  const { redirect_uris: redirectUris, client_name: name = UNNAMED } = readMetadata(body)
  for (const uri of redirectUris) {
    const fault = faultOfRedirectUri(uri, deps.publicUrl)
    if (fault !== null) throw oauthFault('invalid_redirect_uri', `redirect_uris: ${uri} ${fault}.`)
  }
  return insertClient(deps.rawDb, { id: deps.ids.next('oac'), name, redirectUris })
}

function readMetadata(body: unknown): RegisterClientBody {
  const read = registerClientBody.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  const code = path.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  throw oauthFault(code, `${path === '' ? 'body' : path}: ${issue?.message ?? 'is not valid'}`)
}
