import { facilitatorIn, settledPayment, supportedPayments, verifiedPayment } from '@farebox/wire/x402'
import type { App } from '../../app.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import { requireX402, type X402 } from './x402-deps.ts'

/** Verifications and settlements per minute of a client address: each costs requests to the chain, some cost gas. */
const PAYMENTS_PER_MINUTE = 60

/** A payment of 0.01 USDC on the development chain. */
const example = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    accepted: { scheme: 'exact', network: 'eip155:31337' },
    payload: {
      signature: `0x${'1b'.repeat(65)}`,
      authorization: {
        from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        to: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
        value: '10000',
        validAfter: '0',
        validBefore: '1893456000',
        nonce: `0x${'2a'.repeat(32)}`,
      },
    },
  },
  paymentRequirements: {
    scheme: 'exact',
    network: 'eip155:31337',
    asset: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
    payTo: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    amount: '10000',
  },
}

/**
 * Registers the facilitator, for payments to the vault only.
 *
 * @param x402 null without `X402_SETTLER_KEY`
 */
export function facilitatorRoutes(
  app: App,
  deps: Parameters<typeof limitPublic>[0],
  x402: X402 | null,
): void {
  const onRequest = limitPublic(deps, {
    name: 'x402-facilitator',
    quota: PAYMENTS_PER_MINUTE,
    windowSeconds: 60,
  })
  const common = { tag: 'Invocation', access: 'public', exampleBody: example } as const
  app.post(
    '/x402/verify',
    {
      ...contract(
        {
          ...common,
          id: 'verifyX402Payment',
          summary: 'Verify an x402 payment to the vault, as a facilitator',
          description: 'Settles nothing. A payment that would not settle has `isValid` false and the reason.',
          errors: ['RATE_LIMITED'],
          answer: verifiedPayment,
        },
        { body: facilitatorIn },
      ),
      onRequest,
    },
    ({ body }) => requireX402(x402).verify(body),
  )
  app.post(
    '/x402/settle',
    {
      ...contract(
        {
          ...common,
          id: 'settleX402Payment',
          summary: 'Settle an x402 payment to the vault, as a facilitator',
          description:
            'The payment is a deposit of its payer. The same payment is settled once; again it has the same answer. While it waits for the chain it is 503.',
          errors: ['RATE_LIMITED', 'WALLET_SUSPENDED', 'IDEMPOTENCY_CONFLICT'],
          answer: settledPayment,
        },
        { body: facilitatorIn },
      ),
      onRequest,
    },
    ({ body }) => requireX402(x402).settle(body),
  )
  app.get(
    '/x402/supported',
    {
      ...contract(
        {
          id: 'listX402Kinds',
          summary: 'The x402 payments that the facilitator takes',
          description: 'Both versions of x402, on the chain of the vault, and the address that sends them.',
          tag: 'Invocation',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: supportedPayments,
        },
        {},
      ),
      onRequest,
    },
    async () => requireX402(x402).supported(),
  )
}
