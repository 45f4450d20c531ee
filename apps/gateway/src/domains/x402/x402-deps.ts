import type { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
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
}
