import type { FastifyReply } from 'fastify'
import { sendRateLimitHeaders } from '../../http/rate-limit.ts'
import type { Rate } from '../credentials/draw-budgets.ts'
import type { Agent } from '../credentials/require-agent.ts'
import type { Invoked } from './invoke-service.ts'

const POLICY = { name: 'rpm', windowSeconds: 60 }

/** Writes the rate that a call was counted at into the headers of its answer. */
export function writeRate(reply: FastifyReply, rate: Rate | null): void {
  if (rate === null) return
  const { rpm: quota, remaining, seconds: resetSeconds } = rate
  sendRateLimitHeaders(reply, { ...POLICY, quota, remaining, resetSeconds })
}

/** Writes the rate that a call was counted at, or refused by, into the headers of its answer. */
export function sendRate(reply: FastifyReply, agent: Agent, invoked: Invoked): void {
  writeRate(reply, invoked.rate)
  if (invoked.rate !== null || !('error' in invoked) || invoked.error.context.limit !== POLICY.name) return
  const resetSeconds = Number(invoked.error.context.retryAfterSeconds)
  sendRateLimitHeaders(reply, { ...POLICY, quota: agent.rpm, remaining: 0, resetSeconds })
}
