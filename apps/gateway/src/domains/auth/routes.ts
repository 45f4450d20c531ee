import {
  challengeAnswer,
  challengeQuery,
  parseWallet,
  sessionAnswer,
  verifyBody,
  type WalletAddress,
} from '@farebox/wire/auth'
import { done } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { z } from 'zod'
import type { App } from '../../app.ts'
import { requestAliases, withAliases } from '../../http/aliases.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { issueChallenge } from './issue-challenge.ts'
import { logout } from './logout.ts'
import { ownerGuard, ownerOf } from './require-owner.ts'
import { verifySignature } from './verify-signature.ts'

const WINDOW_SECONDS = 60
/** Ratio of the limits on verifications and challenges. Each verification may cost a call to the chain. */
const ATTEMPTS_PER_CHALLENGE = 10

/** Registers the routes of signing in and out below `/api/v1`. */
export function authRoutes(app: App, deps: Deps): void {
  const requireOwner = ownerGuard(deps)
  const limited = (name: string, quota: number) =>
    limitPerClient(deps.clock, { name, quota, windowSeconds: WINDOW_SECONDS })
  const quota = deps.config.CHALLENGES_PER_MINUTE

  app.get(
    '/auth/challenge',
    {
      ...contract(
        {
          id: 'issueChallenge',
          summary: 'Get a sign-in message',
          description:
            'A Sign-In with Ethereum message (EIP-4361) for this wallet. Sign it unchanged (EIP-191) and send it to `POST /auth/verify` within five minutes.',
          tag: 'Authentication',
          access: 'public',
          errors: ['MISSING_ADDRESS', 'INVALID_ADDRESS', 'RATE_LIMITED'],
          answer: challengeAnswer,
        },
        { querystring: challengeQuery },
      ),
      onRequest: limited('challenges', quota),
    },
    request => issueChallenge(deps, { kind: 'login', address: addressOf(request.query.address) }),
  )

  app.post(
    '/auth/verify',
    {
      ...contract(
        {
          id: 'verifyChallenge',
          summary: 'Sign in with a signed challenge',
          description:
            'Send the challenge unchanged; it works once. Smart wallets sign by EIP-1271 or EIP-6492.',
          tag: 'Authentication',
          access: 'public',
          errors: ['VERIFICATION_FAILED', 'CHALLENGE_EXPIRED', 'RATE_LIMITED'],
          answer: sessionAnswer,
        },
        { body: withAliases(verifyBody, requestAliases.verify) },
      ),
      onRequest: limited('verifications', quota * ATTEMPTS_PER_CHALLENGE),
    },
    request => verifySignature(deps, request.body),
  )

  app.post(
    '/auth/logout',
    {
      ...contract({
        id: 'logout',
        summary: 'End this session',
        description: 'Revokes the token. Other sessions of the wallet continue.',
        tag: 'Authentication',
        access: 'wallet',
        answer: done.extend({ success: z.literal(true) }),
      }),
      onRequest: requireOwner,
    },
    async request => {
      await logout(deps, ownerOf(request))
      return { status: 'success', success: true }
    },
  )
}

/** @throws GatewayError MISSING_ADDRESS, INVALID_ADDRESS */
function addressOf(query: string | string[] | undefined): WalletAddress {
  if (query === undefined || query === '') throw new GatewayError('MISSING_ADDRESS')
  const wallet = typeof query === 'string' ? parseWallet(query) : null
  if (wallet === null) throw new GatewayError('INVALID_ADDRESS')
  return wallet
}
