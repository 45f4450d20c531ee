import { GatewayError } from '@farebox/wire/errors'
import { OAUTH_SCOPE, type TokenBody } from '@farebox/wire/oauth'
import type { Deps } from '../../ports.ts'
import { revokeCredential } from '../credentials/end-credential.ts'
import type { AgentGuard } from '../credentials/require-agent.ts'
import { rotateCredential } from '../credentials/rotate-credential.ts'
import { digestOf } from './authorize-client.ts'
import { oauthFault } from './oauth-fault.ts'
import { isVerified, resourceOf } from './rules.ts'
import { findGrant, useCode } from './store.ts'

type RedeemDeps = Pick<Deps, 'db' | 'rawDb' | 'ids' | 'publicUrl' | 'clock'> & { agents: AgentGuard }

/**
 * Exchanges an authorization code for the token of its credential (RFC 6749, 4.1.3). A code works once: if somebody
 * with its verifier redeems it again, the credential is revoked (RFC 6749, 4.1.2).
 *
 * @throws GatewayError INVALID_REQUEST with the `error` of OAuth
 */
export async function redeemCode(deps: RedeemDeps, body: TokenBody) {
  const codeDigest = digestOf(body.code)
  const grant = await findGrant(deps.rawDb, codeDigest)
  const isHis =
    grant !== undefined &&
    grant.clientId === body.client_id &&
    grant.redirectUri === body.redirect_uri &&
    isVerified(grant.codeChallenge, body.code_verifier)
  if (!isHis) throw notGood()
  if (body.resource !== undefined && resourceOf(deps.publicUrl, body.resource) !== grant.resource) {
    throw oauthFault('invalid_target', 'resource: The code was issued for another resource.')
  }
  const key = { owner: grant.owner, id: grant.credentialId }
  const detail = { client: { id: grant.clientId } }
  if (grant.isUsed) {
    await revokeCredential(deps, key, { ...detail, reason: 'code_reused' }).catch(asNotGood)
    throw notGood()
  }
  const { token, credential } = await rotateCredential(deps, key, 0, {
    detail,
    async write(tx) {
      if (!(await useCode(tx, codeDigest))) throw notGood()
    },
  }).catch(asNotGood)
  const { expiresAt } = credential
  const secondsLeft = expiresAt === null ? null : Math.floor((expiresAt.getTime() - deps.clock.now()) / 1_000)
  return {
    access_token: token,
    token_type: 'Bearer' as const,
    ...(secondsLeft !== null && { expires_in: Math.max(0, secondsLeft) }),
    scope: OAUTH_SCOPE,
  } as const
}

/** Throws if its owner has ended the credential of a code. */
function asNotGood(error: unknown): never {
  const isEnded =
    error instanceof GatewayError && (error.code === 'CREDENTIAL_NOT_FOUND' || error.code === 'INVALID_STATE')
  throw isEnded ? notGood() : error
}

/** No details, so that guessing reveals nothing. */
function notGood() {
  const message =
    'The code is not valid: it was used, has expired, or belongs to another client or redirect URI.'
  return oauthFault('invalid_grant', message)
}
