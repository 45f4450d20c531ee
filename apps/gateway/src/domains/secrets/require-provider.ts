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

/** Who calls by a provider secret. */
export type Provider = {
  readonly secretId: string
  /** The provider's wallet, in lower case. */
  readonly wallet: Address
  /** What the limit of the secret says about this request. */
  readonly rate: Pick<RateDecision, 'remaining' | 'seconds'> & { readonly rpm: number }
}

/** Tells who calls by the provider secret in the headers. */
export type ProviderGuard = {
  /**
   * Finds the secret of a request and counts the request against its rate, exactly: one count for all gateways, in
   * the database, and nothing is remembered in between. A refused request costs nothing.
   *
   * @param headers of the request, names in lower case; only `Authorization: Bearer psk_...` is looked at
   * @throws GatewayError PROVIDER_SECRET_INVALID (absent, malformed, unknown, deleted, expired, all calls used),
   *   WALLET_SUSPENDED,
   *   RATE_LIMITED with `detail.rpm`
   */
  authenticate(headers: Readonly<Record<string, unknown>>): Promise<Provider>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link requireProvider}; read it with {@link providerOf}. */
    provider?: Provider
  }
}

/** Makes the guard of this process. */
export function createProviderGuard(deps: Pick<Deps, 'db'>): ProviderGuard {
  return {
    async authenticate({ authorization }) {
      const key = keyOf(authorization)
      if (key === null) throw new GatewayError('PROVIDER_SECRET_INVALID')
      return deps.db.transaction(async tx => {
        const [holder, now] = await Promise.all([lockKeyHolder(tx, tokenDigest(key)), readClock(tx)])
        if (holder?.status !== 'active') throw new GatewayError('PROVIDER_SECRET_INVALID')
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
 * Hook for `onRequest`: lets only requests with a provider secret through, sets `request.provider`, and sends the
 * rate limit headers, with a refusal by the rate too. Refuses as {@link ProviderGuard.authenticate} does.
 */
export function requireProvider(providers: ProviderGuard) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      request.provider = await providers.authenticate(request.headers)
    } catch (error) {
      if (error instanceof GatewayError) tellRefusal(reply, error)
      throw error
    }
    sendRate(reply, request.provider.rate)
  }
}

/** The provider that {@link requireProvider} let through. It is a mistake of the route to ask without the hook. */
export function providerOf(request: FastifyRequest): Provider {
  if (request.provider === undefined) throw new Error('The route does not require a provider secret.')
  return request.provider
}

/** The key of an `Authorization` header; null when it holds none. Noise never reaches the database. */
function keyOf(authorization: unknown): string | null {
  if (typeof authorization !== 'string' || authorization.length > HEADER_LENGTH_MAX) return null
  const key = BEARER.exec(authorization)?.[1]
  return key !== undefined && isTokenShaped(KEY_PREFIX, key) ? key : null
}

/** The refusal of a secret that has come to its end. */
function endedSecret(reason: 'expired' | 'calls_used', { maxCalls, expiresAt }: KeyHolder): GatewayError {
  const ended =
    reason === 'expired'
      ? `The provider secret has expired (expiresAt ${expiresAt?.toISOString()}).`
      : `maxCalls: all ${maxCalls} calls of the provider secret are used.`
  const message = `${ended} Issue another with POST /api/v1/secrets/provider/issue.`
  return new GatewayError('PROVIDER_SECRET_INVALID', { reason }, { message })
}

/** Adds the scheme that is asked for (RFC 9110, 11.6.1), or the state of the rate that refused. */
function tellRefusal(reply: FastifyReply, { status, code, context }: GatewayError): void {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (code !== 'RATE_LIMITED') return
  sendRate(reply, { rpm: Number(context.rpm), remaining: 0, seconds: Number(context.retryAfterSeconds) })
}

function sendRate(reply: FastifyReply, { rpm, remaining, seconds }: Provider['rate']): void {
  const state = { remaining, resetSeconds: seconds }
  sendRateLimitHeaders(reply, { name: 'rpm', quota: rpm, windowSeconds: RATE_WINDOW_SECONDS, ...state })
}
