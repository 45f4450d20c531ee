import type { FastifyReply } from 'fastify'
import { sendRateLimitHeaders } from '../../http/limits/rate-limit.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Invoked } from './invoke-service.ts'

const POLICY = { name: 'rpm', windowSeconds: 60 }

/** Sets the rate limit headers of an answer. */
export function writeRate(reply: FastifyReply, rate: Rate | null): void {
  if (rate === null) return
  const { rpm: quota, remaining, seconds: resetSeconds } = rate
  sendRateLimitHeaders(reply, { ...POLICY, quota, remaining, resetSeconds })
}

/** Sets the rate limit headers of an answer or of a refusal. */
export function sendRate(reply: FastifyReply, invoked: Invoked): void {
  writeRate(reply, rateOf(invoked))
}

/** Returns the rate at which a call was counted or refused; null if neither. */
export function rateOf(invoked: Invoked): Rate | null {
  if (invoked.rate !== null || !('error' in invoked)) return invoked.rate
  const { limit, rpm, retryAfterSeconds } = invoked.error.context
  if (limit !== POLICY.name) return null
  return { rpm: Number(rpm), remaining: 0, seconds: Number(retryAfterSeconds) }
}
