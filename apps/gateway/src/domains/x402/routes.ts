import type { ErrorCode } from '@farebox/wire/errors'
import {
  paidResourceAnswer,
  paidResourceIn,
  paidResourcePathIn,
  paidResourceQueryIn,
  paymentTerms,
} from '@farebox/wire/x402'
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'
import { asGatewayError } from '../../http/errors.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { type Contract, contract, errorBody } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { requireX402, type Visit, type X402 } from './x402-deps.ts'

/** Requests per minute of a client address. */
const REQUESTS_PER_MINUTE = 600

const DESCRIPTION =
  "For agents with USDC and no account. Without a payment: 402 with the terms, version 2 in `PAYMENT-REQUIRED`, version 1 in the body. With `PAYMENT-SIGNATURE` (or `X-PAYMENT`), the payment is settled into the vault and credited to its payer, and the call is charged from that balance; the rest stays the payer's. The same payment with the same request gets the stored answer, with another it is refused. `sign-in-with-x` spends the balance instead. A model's answer is streamed if its body has `stream`. The answer is the provider's, with `PAYMENT-RESPONSE`, `Farebox-Invocation-Id`, `Farebox-Charged-Usdc` and, unless the payment was sent before, `Farebox-Balance-Usdc`."

const errors: readonly ErrorCode[] = [
  'PAYMENT_REQUIRED',
  'INVALID_PAYLOAD',
  'SERVICE_NOT_FOUND',
  'SERVICE_NOT_ALLOWED',
  'RATE_LIMITED',
  'PRICE_MISMATCH',
  'LIMIT_EXCEEDED',
  'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
  'BUDGET_EXHAUSTED',
  'WALLET_SUSPENDED',
  'IDEMPOTENCY_CONFLICT',
  'IDEMPOTENCY_IN_PROGRESS',
  'UPSTREAM_ERROR',
  'GATEWAY_INTERRUPTED',
  'LOOP_DETECTED',
]

const common = {
  description: DESCRIPTION,
  tag: 'Invocation',
  access: 'public',
  errors,
  answer: paidResourceAnswer,
  otherTypes: {
    'text/event-stream':
      'From a model, with `"stream": true`: its chunks, then the result and the bill as `event: gateway`.',
    'application/octet-stream':
      'A file of any other type, as an attachment. Text is `{contentType, text}` in JSON.',
    'image/*': 'An image, as an attachment.',
    'audio/*': 'A sound, as an attachment.',
    'video/*': 'A video, as an attachment.',
  },
} as const

/** Returns the schema of errors, which at 402 have terms beside them. */
const errorAnswerWith = (more: readonly ErrorCode[]) =>
  errorBody([...errors, 'INVALID_REQUEST', 'NOT_FOUND', 'INTERNAL', 'UNAVAILABLE', ...more]).extend(
    paymentTerms,
  )

const got: Contract = {
  ...common,
  errorAnswer: errorAnswerWith([]),
  id: 'getPaidResource',
  summary: 'Call a service and pay by x402, with its arguments in the URL',
}
const posted: Contract = {
  ...common,
  errorAnswer: errorAnswerWith(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
  id: 'callPaidResource',
  summary: 'Call a service and pay by x402',
  body: paidResourceIn,
  hasExactIntegers: true,
  exampleBody: { city: 'Lisbon' },
}

/**
 * Registers the paid resources `/x402/:service`.
 *
 * @param x402 null without `X402_SETTLER_KEY`: then no payment is taken
 */
export function x402Routes(app: App, { clock }: Pick<Deps, 'clock'>, x402: X402 | null): void {
  const onRequest = limitPerClient(clock, { name: 'x402', quota: REQUESTS_PER_MINUTE, windowSeconds: 60 })
  const input = { params: paidResourcePathIn, querystring: paidResourceQueryIn }
  const answer = async (visit: Visit): Promise<FastifyReply> => requireX402(x402).answer(visit)
  app.get('/x402/:service', { ...contract(got, input), onRequest }, (request, reply) =>
    answer({ request, reply }),
  )
  app.post(
    '/x402/:service',
    {
      ...contract(posted, input),
      onRequest,
      // An unpaid request gets its terms whatever its body is.
      errorHandler: async (thrown, request, reply) => {
        const error = asGatewayError(thrown, request)
        if (x402 === null || request.body !== undefined || !UNREADABLE.has(error.code)) throw thrown
        return answer({ request: request as Visit['request'], reply, unread: error })
      },
    },
    (request, reply) => answer({ request, reply }),
  )
}

/** Codes of a body that could not be read. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'INVALID_REQUEST',
  'INVALID_PAYLOAD',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
])
