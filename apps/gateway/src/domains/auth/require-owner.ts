import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { bearerTokenOf, isListed, suspended } from './rules.ts'
import { readSessionToken } from './session-token.ts'
import { readSession } from './store.ts'

/** The wallet of a request. */
export type Owner = {
  /** In lower case. */
  readonly wallet: Address
  /** Id and expiry of the session. */
  readonly jti: string
  readonly expiresAt: Date
  readonly isAdmin: boolean
  readonly isProvider: boolean
  readonly username: string
  /** Time of the first sign-in of the wallet. */
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
 * Returns the wallet of an `Authorization: Bearer` header. One round trip to the database.
 *
 * @throws GatewayError UNAUTHORIZED when the token is not a session token, is expired or revoked, or its wallet is
 * unknown; WALLET_SUSPENDED
 */
export async function authenticateOwner(deps: GuardDeps, authorization: string | undefined): Promise<Owner> {
  const token = bearerTokenOf(authorization)
  const session = token === null ? null : await readSessionToken(deps, token)
  if (session === null) throw token?.startsWith('agt_') ? ofAgent() : new GatewayError('UNAUTHORIZED')

  const row = await readSession(deps.db, session)
  if (row === undefined || row.isRevoked) throw new GatewayError('UNAUTHORIZED')
  if (row.suspendedAt !== null) throw suspended(row.suspensionReason)
  return {
    ...session,
    isAdmin: isListed(deps.config.ADMIN_WALLETS, session.wallet),
    isProvider: row.isProvider,
    username: row.username,
    createdAt: row.createdAt,
  }
}

function ofAgent(): GatewayError {
  const message = 'This is an agent credential. Sign in with the wallet and send its session token.'
  return new GatewayError('UNAUTHORIZED', {}, { message })
}

/**
 * Returns an `onRequest` hook that admits only requests of a signed-in wallet and sets `request.owner`. Throws as
 * {@link authenticateOwner} does.
 */
export function ownerGuard(deps: GuardDeps): Guard {
  return async (request, reply) => {
    request.owner = await challenged(reply, authenticateOwner(deps, request.headers.authorization))
  }
}

/**
 * Returns an `onRequest` hook for public routes that sets `request.owner` if there is a session. Ignores any other
 * token, whether malformed, expired, revoked or an agent's.
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

/** Returns the wallet that {@link ownerGuard} admitted. Throws if the route has no such guard. */
export function ownerOf(request: FastifyRequest): Owner {
  if (request.owner === undefined) throw new Error('The route has no ownerGuard.')
  return request.owner
}

/** Adds a `WWW-Authenticate` header to a refusal (RFC 9110, 11.6.1). */
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
