import { GatewayError } from '@farebox/wire/errors'
import type { FacilitatorBody } from '@farebox/wire/x402'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import type { Settled, supportedPayments, Verified } from './facilitate.ts'
import type { TermsDeps } from './payment-terms.ts'
import type { SettleDeps } from './settle-payment.ts'

/** A request for a paid resource, with the error of a body that could not be read. */
export type Visit = {
  readonly request: FastifyRequest<{
    Params: { service: string }
    Querystring: Record<string, unknown>
  }>
  readonly reply: FastifyReply
  readonly unread?: GatewayError
}

/** Dependencies of x402, with the state of this process. */
export type X402Deps = InvocationDeps &
  SettleDeps &
  TermsDeps & {
    /** Counts a free call of a client address. @throws GatewayError RATE_LIMITED */
    readonly limitFree: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }

/** The parts of x402 that its routes call, without the libraries behind them. */
export type X402 = {
  /** Answers a request for a paid resource. */
  answer(visit: Visit): Promise<FastifyReply>
  /** The three acts of a facilitator. */
  verify(body: FacilitatorBody): Promise<Verified>
  settle(body: FacilitatorBody): Promise<Settled>
  supported(): ReturnType<typeof supportedPayments>
}

/**
 * Returns x402 where it is configured.
 *
 * @throws GatewayError UNAVAILABLE without `X402_SETTLER_KEY`
 */
export function requireX402(x402: X402 | null): X402 {
  if (x402 !== null) return x402
  const message = 'This gateway takes no x402 payments.'
  throw new GatewayError('UNAVAILABLE', { reason: 'x402_off' }, { message })
}
