import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import type { Settler } from '../../payment-ports.ts'
import { createFlights } from '../../runtime/cached.ts'
import type { InvocationDeps } from '../invocation/invoke-service.ts'
import { answerResource } from './answer-resource.ts'
import { createDescriptions } from './describe-resource.ts'
import { settleDeposit, supportedPayments, verifyPayment } from './facilitate.ts'
import type { Settlement } from './settle-payment.ts'
import { signInTerms } from './sign-in.ts'
import type { X402, X402Deps } from './x402-deps.ts'

/** Free calls per minute of a client address. */
const FREE_CALLS_PER_MINUTE = 60

/** Creates x402 with its state in this process. Import it only where it is used: its libraries are large. */
export function createX402(deps: InvocationDeps & { readonly settler: Settler }): X402 {
  const x402: X402Deps = {
    ...deps,
    settling: createFlights<string, Settlement>(),
    describe: createDescriptions(deps),
    signInTerms: resourceUrl => signInTerms(deps, resourceUrl),
    limitFree: limitPublic(deps, { name: 'x402-free', quota: FREE_CALLS_PER_MINUTE, windowSeconds: 60 }),
  }
  return {
    answer: visit => answerResource(x402, visit),
    verify: body => verifyPayment(x402, body),
    settle: body => settleDeposit(x402, body),
    supported: () => supportedPayments(x402),
  }
}
