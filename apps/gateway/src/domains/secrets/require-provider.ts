import { GatewayError } from '@farebox/wire/errors'
import { isTokenShaped, tokenDigest } from '@farebox/wire/tokens'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from 'viem'
import { sendRateLimitHeaders } from '../../http/limits/rate-limit.ts'
import type { Deps } from '../../ports.ts'
import { admitAtRate, type RateDecision } from '../../runtime/rate-window.ts'
import { endOf } from './rules.ts'
import { type KeyHolder, lockKeyHolder, readClock, writeUse } from './store.ts'

const KEY_PREFIX = 'psk'
const HEADER_LENGTH_MAX = 100
const BEARER = /^bearer +(\S+)$/i
const RATE_WINDOW_SECONDS = 60

/** An authenticated provider secret. */
export type Provider = {
  readonly secretId: string
  /** Wallet of the provider, in lower case. */
  readonly wallet: Address
  /** State of the secret's rate limit after this request. */
  readonly rate: Pick<RateDecision, 'remaining' | 'seconds'> & { readonly rpm: number }
}

/** Authenticates requests by the provider secret in their headers. */
export type ProviderGuard = {
  /**
   * Returns the secret of a request and counts the request towards its rate limit. The count is exact over all
   * gateways, in the database, and nothing is cached. A refused request does not count.
   *
   * @param headers of the request, names in lower case; only `Authorization: Bearer psk_...` is read
   * @throws GatewayError PROVIDER_SECRET_INVALID (absent, malformed, unknown, deleted, expired, all calls used),
   * WALLET_SUSPENDED, RATE_LIMITED with `detail.rpm`
   */
  authenticate(headers: Readonly<Record<string, unknown>>): Promise<Provider>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link requireProvider}; read it with {@link providerOf}. */
    provider?: Provider
  }
}

/** Creates the guard of this process. */
export function createProviderGuard(deps: Pick<Deps, 'db'>): ProviderGuard {
  return {
    async authenticate({ authorization }) {
      const key = keyOf(authorization)
      if (key === null) throw noSecret()
      return deps.db.transaction(async tx => {
        const [holder, now] = await Promise.all([lockKeyHolder(tx, tokenDigest(key)), readClock(tx)])
        if (holder?.status !== 'active') throw noSecret()
        const end = endOf(holder, now)
        if (end !== null) throw endedSecret(end, holder)
        if (holder.isSuspended) throw new GatewayError('WALLET_SUSPENDED')
        const { rpm } = holder
        const { isAdmitted, window, remaining, seconds } = admitAtRate(rpm, holder.rateWindow, now)
        if (!isAdmitted) {
          throw new GatewayError('RATE_LIMITED', { limit: 'rpm', rpm }, { retryAfterSeconds: seconds })
        }
        await writeUse(tx, holder.id, { at: now, rateWindow: window })
        return { secretId: holder.id, wallet: holder.owner, rate: { rpm, remaining, seconds } }
      })
    },
  }
}

/**
 * Returns an `onRequest` hook that admits only requests with a provider secret, sets `request.provider`, and sends the
 * rate limit headers, also with a refusal by the limit. Throws as {@link ProviderGuard.authenticate} does.
 */
export function requireProvider(providers: ProviderGuard) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      request.provider = await providers.authenticate(request.headers)
    } catch (error) {
      if (error instanceof GatewayError) reportRefusal(reply, error)
      throw error
    }
    sendRate(reply, request.provider.rate)
  }
}

/** Returns the provider that {@link requireProvider} admitted. Throws if the route has no such hook. */
export function providerOf(request: FastifyRequest): Provider {
  if (request.provider === undefined) throw new Error('The route does not require a provider secret.')
  return request.provider
}

/**
 * Returns the key of an `Authorization` header; null if it contains none. Rejects malformed keys without a database
 * query.
 */
function keyOf(authorization: unknown): string | null {
  if (typeof authorization !== 'string' || authorization.length > HEADER_LENGTH_MAX) return null
  const key = BEARER.exec(authorization)?.[1]
  return key !== undefined && isTokenShaped(KEY_PREFIX, key) ? key : null
}

/** Returns the error for a request without a secret that is in use. */
function noSecret(): GatewayError {
  const message =
    'A valid provider secret is required. Send Authorization: Bearer psk_..., made by POST /api/v1/secrets/provider/issue.'
  return new GatewayError('PROVIDER_SECRET_INVALID', {}, { message })
}

/** Returns the error for an expired or used-up secret. */
function endedSecret(reason: 'expired' | 'calls_used', { maxCalls, expiresAt }: KeyHolder): GatewayError {
  const ended =
    reason === 'expired'
      ? `The provider secret has expired (expiresAt ${expiresAt?.toISOString()}).`
      : `maxCalls: all ${maxCalls} calls of the provider secret are used.`
  const message = `${ended} Issue another with POST /api/v1/secrets/provider/issue.`
  return new GatewayError('PROVIDER_SECRET_INVALID', { reason }, { message })
}

/** Adds a `WWW-Authenticate` header (RFC 9110, 11.6.1), or the state of the rate limit, to a refusal. */
function reportRefusal(reply: FastifyReply, { status, code, context }: GatewayError): void {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (code !== 'RATE_LIMITED') return
  sendRate(reply, { rpm: Number(context.rpm), remaining: 0, seconds: Number(context.retryAfterSeconds) })
}

function sendRate(reply: FastifyReply, { rpm, remaining, seconds }: Provider['rate']): void {
  const state = { remaining, resetSeconds: seconds }
  sendRateLimitHeaders(reply, { name: 'rpm', quota: rpm, windowSeconds: RATE_WINDOW_SECONDS, ...state })
}
