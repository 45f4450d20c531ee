import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { bearerTokenOf, isListed } from './rules.ts'
import { readSessionToken } from './session-token.ts'
import { readSession } from './store.ts'

/** The wallet behind a request. */
export type Owner = {
  /** In lower case. */
  readonly wallet: Address
  /** Id of the session, and when it ends by itself. */
  readonly jti: string
  readonly expiresAt: Date
  readonly isAdmin: boolean
  readonly isProvider: boolean
  readonly username: string
  /** When the wallet first signed in. */
  readonly createdAt: Date
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link ownerGuard} and {@link optionalOwnerGuard}; read it with {@link ownerOf}. */
    owner?: Owner
  }
}

type GuardDeps = Pick<Deps, 'config' | 'db' | 'clock'>
type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * Finds the wallet of an `Authorization: Bearer` header. One round trip to the database.
 *
 * @throws GatewayError UNAUTHORIZED when it is no session token, or one that is expired, logged out or of a wallet
 *   we do not know; WALLET_SUSPENDED
 */
export async function authenticateOwner(deps: GuardDeps, authorization: string | undefined): Promise<Owner> {
  const token = bearerTokenOf(authorization)
  const session = token === null ? null : await readSessionToken(deps, token)
  if (session === null) throw new GatewayError('UNAUTHORIZED')

  const row = await readSession(deps.db, session)
  if (row === undefined || row.is_revoked) throw new GatewayError('UNAUTHORIZED')
  if (row.suspended_at !== null) throw new GatewayError('WALLET_SUSPENDED')
  return {
    ...session,
    isAdmin: isListed(deps.config.ADMIN_WALLETS, session.wallet),
    isProvider: row.is_provider,
    username: row.username,
    createdAt: row.created_at,
  }
}

/**
 * Hook for `onRequest`: lets only requests of a signed-in wallet through and sets `request.owner`.
 * Refuses as {@link authenticateOwner} does.
 */
export function ownerGuard(deps: GuardDeps): Guard {
  return async (request, reply) => {
    request.owner = await challenged(reply, authenticateOwner(deps, request.headers.authorization))
  }
}

/**
 * Hook for `onRequest` of routes that anybody may call: sets `request.owner` when there is a session. Any other token,
 * whether malformed, expired, logged out or an agent's, counts as none: the route is public.
 *
 * @throws GatewayError WALLET_SUSPENDED
 */
export function optionalOwnerGuard(deps: GuardDeps): Guard {
  return async request => {
    const { authorization } = request.headers
    if (authorization === undefined) return
    try {
      request.owner = await authenticateOwner(deps, authorization)
    } catch (error) {
      if (!isUnauthorized(error)) throw error
    }
  }
}

/** The wallet that {@link ownerGuard} let through. It is a mistake of the route to ask without the guard. */
export function ownerOf(request: FastifyRequest): Owner {
  if (request.owner === undefined) throw new Error('The route has no ownerGuard.')
  return request.owner
}

/** Adds the scheme that is asked for to a refusal (RFC 9110, 11.6.1). */
async function challenged(reply: FastifyReply, authenticated: Promise<Owner>): Promise<Owner> {
  try {
    return await authenticated
  } catch (error) {
    if (isUnauthorized(error)) reply.header('www-authenticate', 'Bearer')
    throw error
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'UNAUTHORIZED'
