import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../ports.ts'

const CLIENTS_TRACKED_MAX = 100_000

/**
 * A limit per client address for public routes, kept in this process: a token bucket that refills over the
 * window. Fastify hook; answers RATE_LIMITED with `Retry-After`, and sends `RateLimit` and `RateLimit-Policy`
 * (IETF draft-ietf-httpapi-ratelimit-headers) on every answer.
 *
 * @param policy.name   name in the headers
 * @param policy.quota  requests per window and client
 * @param policy.windowSeconds length of the window
 */
export function limitPerClient(clock: Clock, policy: { name: string; quota: number; windowSeconds: number }) {
  const { name, quota, windowSeconds } = policy
  const buckets = new LRUCache<string, { level: number; at: number }>({ max: CLIENTS_TRACKED_MAX })
  const perMs = quota / (windowSeconds * 1_000)

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const at = clock.now()
    const before = buckets.get(request.ip) ?? { level: quota, at }
    const level = Math.min(quota, before.level + Math.max(0, at - before.at) * perMs)
    const isAdmitted = level >= 1
    const left = isAdmitted ? level - 1 : level
    buckets.set(request.ip, { level: left, at })
    sendRateLimitHeaders(reply, {
      ...policy,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((quota - left) / perMs / 1_000),
    })
    if (!isAdmitted) {
      throw new GatewayError(
        'RATE_LIMITED',
        { policy: name },
        { retryAfterSeconds: Math.ceil((1 - level) / perMs / 1_000) },
      )
    }
  }
}

/** Writes the two rate limit headers. `resetSeconds` is the time until the quota is whole again. */
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
