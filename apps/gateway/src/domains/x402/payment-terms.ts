import { formatUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { FACILITATOR_PATHS } from '@farebox/wire/x402'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import type { FastifyReply } from 'fastify'
import { getAddress } from 'viem'
import type { Settler } from '../../payment-ports.ts'
import type { Deps } from '../../ports.ts'
import type { CallableService } from '../services/find-callable.ts'
import type { Describe } from './describe-resource.ts'
import { networkOf, networkV1Of } from './networks.ts'
import type { Offer } from './quote-resource.ts'
import { adviceOn } from './refusal-rules.ts'

/** Time in which a payment must be mined, in seconds. */
const TIMEOUT_SECONDS = 300

/** Dependencies of terms. */
export type TermsDeps = Pick<Deps, 'chain' | 'publicUrl'> & {
  readonly settler: Settler
  readonly describe: Describe
  /** Returns the extension by which a client may sign in instead of paying. */
  readonly signInTerms: (resourceUrl: string) => Readonly<Record<string, unknown>>
}

/** Returns the URL of a service as a paid resource. An old service with the name of another path has its id there. */
export function resourceUrlOf(publicUrl: string, { id, agentToolName }: CallableService): string {
  return `${publicUrl}/x402/${FACILITATOR_PATHS.includes(agentToolName) ? id : agentToolName}`
}

/** Returns the requirements of a payment in the terms of version 2. */
function requirementsOf({ chain, settler }: Pick<TermsDeps, 'chain' | 'settler'>, amount: Usdc) {
  const { facts } = chain
  const { name, version } = settler.token
  return {
    scheme: 'exact',
    network: networkOf(facts),
    asset: getAddress(facts.usdc),
    amount: amount.toString(),
    payTo: getAddress(facts.vault),
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: { name, version },
  }
}

/**
 * Answers 402 with the terms: version 2 in `PAYMENT-REQUIRED`, version 1 in the body, beside the members of our errors.
 *
 * @param refusal.reason why the payment or sign-in that was sent is not taken, as a reason of x402
 * @param refusal.message instead of the advice on the reason
 * @param refusal.detail further members of the error's detail
 */
export async function sendTerms(
  deps: TermsDeps,
  reply: FastifyReply,
  offer: Offer,
  refusal: {
    requestId: string
    reason?: string
    message?: string
    detail?: Readonly<Record<string, unknown>>
  },
): Promise<FastifyReply> {
  const { requestId, reason = 'payment_required', detail } = refusal
  const { message = adviceOn(reason, offer.due) } = refusal
  const { text: description, bazaar } = await deps.describe(offer.service)
  const url = resourceUrlOf(deps.publicUrl, offer.service)
  const requirements = requirementsOf(deps, offer.due)
  const signIn = deps.signInTerms(url)
  const terms: PaymentRequired = {
    x402Version: 2,
    error: reason,
    resource: { url, description, mimeType: 'application/json' },
    accepts: [requirements],
    extensions: bazaar === null ? { ...signIn } : Object.assign({ bazaar }, signIn),
  }
  const { scheme, asset, payTo, maxTimeoutSeconds, extra } = requirements
  const accepts = [
    {
      scheme,
      network: networkV1Of(deps.chain.facts),
      maxAmountRequired: requirements.amount,
      resource: url,
      description,
      mimeType: 'application/json',
      payTo,
      maxTimeoutSeconds,
      asset,
      extra,
    },
  ]
  const context = Object.assign({ reason, requiredUsdc: formatUsdc(offer.due) }, detail)
  const error = new GatewayError('PAYMENT_REQUIRED', context, message === undefined ? {} : { message })
  return reply
    .code(402)
    .headers({ 'payment-required': encodePaymentRequiredHeader(terms) })
    .send(Object.assign(error.toBody(requestId), { x402Version: 1, error: reason, accepts }))
}
