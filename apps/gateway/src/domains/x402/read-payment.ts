import { MAX_USDC, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type X402Payment, x402PaymentIn } from '@farebox/wire/x402'
import type { Address, Hex } from 'viem'
import type { Authorization } from '../../payment-ports.ts'
import type { ChainFacts } from '../../ports.ts'
import { networkIn, type X402Version } from './networks.ts'

/** A payment as sent: the authorization, and what its terms have in common with ours. */
export type Payment = {
  readonly version: X402Version
  readonly authorization: Authorization
  /** Why no terms of ours can be meant, as a reason of x402; null if they may be. */
  readonly mismatch: string | null
}

/** Maximum length of a payment header, in characters. */
const HEADER_LENGTH_MAX = 12_288
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Returns the payment of a request, from `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1).
 *
 * @param headers names in lower case
 * @returns null if there is neither header
 * @throws GatewayError INVALID_REQUEST if one is not a payment by the scheme `exact`
 */
export function readPayment(facts: ChainFacts, headers: Readonly<Record<string, unknown>>): Payment | null {
  const name = headers['payment-signature'] === undefined ? 'x-payment' : 'payment-signature'
  const header = headers[name]
  if (header === undefined) return null
  const read = typeof header === 'string' ? parse(header) : null
  const parsed = x402PaymentIn.safeParse(read)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = read === null || issue === undefined ? '' : ` ${issue.path.join('.')}: ${issue.message}`
    const message = `${name}: Must be a payment by the scheme exact, as JSON in base64.${where}`
    throw new GatewayError('INVALID_REQUEST', { header: name }, { message })
  }
  return paymentOf(facts, parsed.data)
}

/** Returns a payment in our terms. */
export function paymentOf(facts: ChainFacts, sent: X402Payment): Payment {
  const { authorization: of, signature } = sent.payload
  const { scheme, network } = sent.x402Version === 2 ? sent.accepted : sent
  const amount = BigInt(of.value)
  const authorization = {
    payer: of.from.toLowerCase() as Address,
    to: of.to.toLowerCase() as Address,
    amount: usdc(amount > MAX_USDC ? 0n : amount),
    validAfter: BigInt(of.validAfter),
    validBefore: BigInt(of.validBefore),
    nonce: of.nonce.toLowerCase() as Hex,
    signature: signature as Hex,
  }
  const mismatch = mismatchOf(facts, { ...sent, scheme, network }, authorization)
  return { version: sent.x402Version, authorization, mismatch }
}

function mismatchOf(
  facts: ChainFacts,
  sent: { x402Version: X402Version; scheme: string; network: string },
  { to, amount }: Authorization,
): string | null {
  if (sent.scheme !== 'exact') return 'unsupported_scheme'
  if (sent.network !== networkIn(sent.x402Version, facts)) return 'invalid_network'
  if (to !== facts.vault) return 'invalid_exact_evm_payload_recipient_mismatch'
  return amount === 0n ? 'invalid_exact_evm_payload_authorization_value' : null
}

function parse(header: string): unknown {
  if (header.length > HEADER_LENGTH_MAX || !BASE64.test(header)) return null
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString()) as unknown
  } catch {
    return null
  }
}
