import { challengeQuery, parseWallet, verifyBody, type WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { limitPerClient } from '../../http/rate-limit.ts'
import type { Deps } from '../../ports.ts'
import { issueChallenge } from './issue-challenge.ts'
import { logout } from './logout.ts'
import { NO_EMAIL, presentMe } from './read-me.ts'
import { ownerGuard, ownerOf } from './require-owner.ts'
import { verifySignature } from './verify-signature.ts'

const WINDOW_SECONDS = 60
/** Attempts to verify that are admitted per challenge admitted: each may cost a call to the chain. */
const ATTEMPTS_PER_CHALLENGE = 10

/** Signing in and out, and who one is. Registered below `/api/v1`. */
export function authRoutes(app: App, deps: Deps): void {
  const requireOwner = ownerGuard(deps)
  const limited = (name: string, quota: number) =>
    limitPerClient(deps.clock, { name, quota, windowSeconds: WINDOW_SECONDS })
  const quota = deps.config.CHALLENGES_PER_MINUTE

  app.get(
    '/auth/challenge',
    { schema: { querystring: challengeQuery }, onRequest: limited('challenges', quota) },
    request => issueChallenge(deps, { kind: 'login', address: addressOf(request.query.address) }),
  )

  app.post(
    '/auth/verify',
    {
      schema: { body: withAliases(verifyBody, requestAliases.verify) },
      onRequest: limited('verifications', quota * ATTEMPTS_PER_CHALLENGE),
    },
    request => verifySignature(deps, request.body),
  )

  app.get('/auth/me', { onRequest: requireOwner }, async request => presentMe(ownerOf(request), NO_EMAIL))

  app.post('/auth/logout', { onRequest: requireOwner }, async request => {
    await logout(deps, ownerOf(request))
    return { status: 'success', success: true }
  })

  app.post(
    '/auth/me/profile/challenge',
    { onRequest: [limited('profile-challenges', quota), requireOwner] },
    request => issueChallenge(deps, { kind: 'profile', address: ownerOf(request).wallet }),
  )
}

/** @throws GatewayError MISSING_ADDRESS, INVALID_ADDRESS */
function addressOf(query: string | string[] | undefined): WalletAddress {
  if (query === undefined || query === '') throw new GatewayError('MISSING_ADDRESS')
  const wallet = typeof query === 'string' ? parseWallet(query) : null
  if (wallet === null) throw new GatewayError('INVALID_ADDRESS')
  return wallet
}
