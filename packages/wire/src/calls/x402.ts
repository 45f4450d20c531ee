import { z } from 'zod'
import { addressIn, hashOut, textOut, walletOut } from '../common.ts'

/** Maximum length of a signature: fits the wrappers of contracts (ERC-6492). */
const SIGNATURE_HEX_LENGTH_MAX = 2 + 2 * 4_096
/** Maximum length of the URL of a resource. */
const URL_LENGTH_MAX = 2_048
/** Maximum length of other texts of a payment, which are compared with ours. */
const TEXT_LENGTH_MAX = 200

const uint = z.string().regex(/^(0|[1-9]\d{0,76})$/, 'Must be a whole number in decimal digits.')
const text = z
  .string()
  .max(TEXT_LENGTH_MAX)
  .regex(/^[ -~]*$/, 'Must be printable ASCII.')

/** A signed EIP-3009 authorization, as the scheme `exact` sends it. */
const exactPayload = z.object({
  signature: z
    .string()
    .max(SIGNATURE_HEX_LENGTH_MAX)
    .regex(/^0x([0-9a-fA-F]{2})+$/, 'Must be hex.'),
  authorization: z.object({
    from: addressIn,
    to: addressIn,
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Must be 32 bytes in hex.'),
  }),
})

/** A payment of x402 version 2 (`PAYMENT-SIGNATURE`). What it repeats of the terms is compared with ours. */
const paymentV2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({ scheme: text, network: text }),
  payload: exactPayload,
})

/** A payment of x402 version 1 (`X-PAYMENT`). */
const paymentV1 = z.object({ x402Version: z.literal(1), scheme: text, network: text, payload: exactPayload })

/** A payment of either version. */
export const x402PaymentIn = z.discriminatedUnion('x402Version', [paymentV2, paymentV1])
export type X402Payment = z.output<typeof x402PaymentIn>

const requirements = z.object({
  scheme: text,
  network: text,
  asset: text,
  payTo: text,
  amount: uint.optional(),
  maxAmountRequired: uint.optional(),
})

/** Body of the facilitator's verify and settle. */
export const facilitatorIn = z.object({
  x402Version: z.int().optional(),
  paymentPayload: x402PaymentIn,
  paymentRequirements: requirements,
})
export type FacilitatorBody = z.output<typeof facilitatorIn>

const reason = textOut(TEXT_LENGTH_MAX)

/** Answer of verify. */
export const verifiedPayment = z.object({
  isValid: z.boolean(),
  invalidReason: reason.optional(),
  payer: walletOut,
})

/** Answer of settle. */
export const settledPayment = z.object({
  success: z.boolean(),
  errorReason: reason.optional(),
  transaction: z.union([hashOut, z.literal('')]),
  network: reason,
  payer: walletOut,
})

/** Maximum number of each that a facilitator lists. */
const LISTED_MAX = 8

/** Answer of supported. */
export const supportedPayments = z.object({
  kinds: z
    .array(
      z.object({
        x402Version: z.int(),
        scheme: z.literal('exact'),
        network: reason,
        extra: z.object({ name: reason, version: reason }),
      }),
    )
    .max(LISTED_MAX),
  extensions: z.array(reason).max(LISTED_MAX),
  signers: z.record(reason, z.array(walletOut).max(LISTED_MAX)),
})

/** Paths of the facilitator, beside those of the paid resources. */
export const FACILITATOR_PATHS: readonly string[] = ['verify', 'settle', 'supported']

/** Path of a paid resource. */
export const paidResourcePathIn = z.object({
  service: z
    .string()
    .min(1)
    .max(64)
    .meta({ description: 'A service id or an agentToolName.', pattern: '^[^\\u0000]*$' }),
})

/** Query of a paid resource: our cap, and parameters of the service. */
export const paidResourceQueryIn = z.looseObject({
  maxCostUsdc: z.string().max(40).optional().meta({
    pattern: '^[^\\u0000]*$',
    description:
      'Maximum cost of the call at a model, in USDC. Other parameters are arguments of the service.',
  }),
})

/** Body of a paid resource: the arguments of the service. */
export const paidResourceIn = z.record(z.string(), z.unknown())

/** Answer of a paid resource: the provider's, unchanged. */
export const paidResourceAnswer = z.unknown()

/** Maximum number of ways to pay. */
const ACCEPTS_MAX = 4

/** Members of a 402 beside those of our errors: the terms of version 1. */
export const paymentTerms = {
  x402Version: z.literal(1).optional(),
  error: reason.optional(),
  accepts: z
    .array(
      z.object({
        scheme: z.literal('exact'),
        network: reason,
        maxAmountRequired: uint,
        resource: textOut(URL_LENGTH_MAX),
        description: textOut(TEXT_LENGTH_MAX),
        mimeType: reason,
        payTo: walletOut,
        maxTimeoutSeconds: z.int(),
        asset: walletOut,
        extra: z.object({ name: reason, version: reason }),
      }),
    )
    .max(ACCEPTS_MAX)
    .optional(),
}
