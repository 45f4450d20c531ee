import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../ports.ts'
import { createBoundedCache } from '../../runtime/bounded-cache.ts'

const CLIENTS_TRACKED_MAX = 100_000

/** A limit: `quota` requests per `windowSeconds`, under a `name` for the headers. */
export type RateLimitPolicy = {
  readonly name: string
  readonly quota: number
  readonly windowSeconds: number
}

/** Decision on a request, and the remaining quota. */
export type RateState = {
  readonly isAdmitted: boolean
  readonly remaining: number
  readonly resetSeconds: number
  readonly retryAfterSeconds: number
}

/** Counts requests by client, in this process: token buckets that refill over the window. */
export type RateLimiter = {
  readonly policy: RateLimitPolicy
  /** Counts one request of `key`. */
  take(key: string): RateState
}

/** See {@link RateLimiter}. */
export function createRateLimiter(clock: Pick<Clock, 'now'>, policy: RateLimitPolicy): RateLimiter {
  const { quota, windowSeconds } = policy
  const buckets = createBoundedCache<string, { level: number; at: number }>(CLIENTS_TRACKED_MAX)
  const perMs = quota / (windowSeconds * 1_000)
  return {
    policy,
    take(key) {
      const at = clock.now()
      const before = buckets.get(key) ?? { level: quota, at }
      const level = Math.min(quota, before.level + Math.max(0, at - before.at) * perMs)
      const isAdmitted = level >= 1
      const left = isAdmitted ? level - 1 : level
      buckets.set(key, { level: left, at })
      return {
        isAdmitted,
        remaining: Math.floor(left),
        resetSeconds: Math.ceil((quota - left) / perMs / 1_000),
        retryAfterSeconds: isAdmitted ? 0 : Math.ceil((1 - level) / perMs / 1_000),
      }
    },
  }
}

/**
 * Returns a Fastify hook that limits public routes per client address.
 *
 * @param policy see {@link limitBy}
 */
export function limitPerClient(clock: Clock, policy: RateLimitPolicy) {
  return limitBy(createRateLimiter(clock, policy), request => clientOf(request.ip))
}

/**
 * Returns a Fastify hook that counts requests by a key: answers RATE_LIMITED with `Retry-After`, and sends `RateLimit`
 * and `RateLimit-Policy` (IETF draft-ietf-httpapi-ratelimit-headers) on every answer.
 */
export function limitBy(
  limiter: { readonly policy: RateLimitPolicy; take(key: string): RateState | Promise<RateState> },
  keyOf: (request: FastifyRequest) => string,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const state = await limiter.take(keyOf(request))
    sendRateLimitHeaders(reply, { ...limiter.policy, ...state })
    if (!state.isAdmitted) throw rateLimited(limiter.policy, state)
  }
}

/** Returns the error for a refused request. */
export function rateLimited(
  { name, quota, windowSeconds }: RateLimitPolicy,
  state: { retryAfterSeconds: number },
): GatewayError {
  const { retryAfterSeconds } = state
  return new GatewayError('RATE_LIMITED', { policy: name, quota, windowSeconds }, { retryAfterSeconds })
}

const GROUPS = 8
/** IPv6 groups that name a network: /64, the minimum that one customer is given (RFC 6177). */
const GROUPS_OF_NETWORK = 4

/** Address with a port, as some proxies write it: an IPv4 address, or another in brackets. */
const WITH_PORT = /^(?:\[(.*)\](?::\d*)?|(\d+\.\d+\.\d+\.\d+):\d*)$/

/**
 * Returns the key of a client address, with or without a port: for IPv6 its network, since its owner has every address
 * in it.
 */
export function clientOf(given: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(given) ?? []
  const address = bracketed ?? plain ?? given
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const missing = address.includes('::') ? Math.max(0, GROUPS - left.length - right.length) : 0
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  const network = groups.slice(0, GROUPS_OF_NETWORK).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** Sets the two rate limit headers. `resetSeconds`: time until the full quota is available. */
export function sendRateLimitHeaders(
  reply: FastifyReply,
  state: { name: string; quota: number; windowSeconds: number; remaining: number; resetSeconds: number },
): void {
  reply.header('RateLimit-Policy', `"${state.name}";q=${state.quota};w=${state.windowSeconds}`)
  reply.header(
    'RateLimit',
    `"${state.name}";r=${Math.max(0, state.remaining)};t=${Math.max(0, state.resetSeconds)}`,
  )
}
