import { parseUsdc } from '@farebox/money'
import type { FacilitatorBody } from '@farebox/wire/x402'
import { type Address, getAddress, type Hex } from 'viem'
import { assertNotSuspended } from '../auth/assert-not-suspended.ts'
import { networkIn } from './networks.ts'
import { type Payment, paymentOf } from './read-payment.ts'
import { type SettleDeps, settlePayment } from './settle-payment.ts'

/** Answer of verify. */
export type Verified = { readonly isValid: boolean; readonly invalidReason?: string; readonly payer: Address }

/** Answer of settle. */
export type Settled = {
  readonly success: boolean
  readonly errorReason?: string
  readonly transaction: Hex | ''
  readonly network: string
  readonly payer: Address
}

/** Returns whether a payment to the vault would settle now. Settles nothing. */
export async function verifyPayment(deps: SettleDeps, body: FacilitatorBody): Promise<Verified> {
  const { authorization, mismatch } = read(deps, body)
  const payer = getAddress(authorization.payer)
  const invalidReason = mismatch ?? (await deps.settler.verify(authorization))
  return invalidReason === null ? { isValid: true, payer } : { isValid: false, invalidReason, payer }
}

/**
 * Settles a payment to the vault: it is a deposit of its payer.
 *
 * @throws GatewayError WALLET_SUSPENDED; and as {@link settlePayment} does
 */
export async function settleDeposit(deps: SettleDeps, body: FacilitatorBody): Promise<Settled> {
  const { facts } = deps.chain
  const { authorization, mismatch, version } = read(deps, body)
  const network = networkIn(version, facts)
  const payer = getAddress(authorization.payer)
  const refused = (errorReason: string): Settled => {
    return { success: false, errorReason, transaction: '', network, payer }
  }
  if (mismatch !== null) return refused(mismatch)
  await deps.rawDb.transaction(tx => assertNotSuspended(tx, authorization.payer))
  const settlement = await settlePayment(deps, authorization, null)
  if (settlement.kind === 'refused') return refused(settlement.reason)
  return { success: true, transaction: settlement.txHash, network, payer }
}

/** Returns the payments that the facilitator takes, and the address that sends them. */
export function supportedPayments({ chain, settler }: Pick<SettleDeps, 'chain' | 'settler'>) {
  const { facts } = chain
  return {
    kinds: [
      { x402Version: 2, scheme: 'exact', network: networkIn(2, facts), extra: settler.token },
      { x402Version: 1, scheme: 'exact', network: networkIn(1, facts), extra: settler.token },
    ],
    extensions: [],
    signers: { 'eip155:*': [getAddress(settler.address)] },
  }
}

/**
 * Returns the payment of a body. Requirements that are not to be met by a payment to the vault are a mismatch, and so is
 * a payment below `X402_MIN_USDC`.
 */
function read(
  { chain: { facts }, config }: Pick<SettleDeps, 'chain' | 'config'>,
  { paymentPayload, paymentRequirements }: FacilitatorBody,
): Payment {
  const payment = paymentOf(facts, paymentPayload)
  const { version, authorization, mismatch } = payment
  const { scheme, network, asset, payTo, amount, maxAmountRequired } = paymentRequirements
  const required = BigInt((version === 2 ? amount : maxAmountRequired) ?? -1)
  const paid = authorization.amount
  const found = [
    [scheme === 'exact', 'unsupported_scheme'],
    [network === networkIn(version, facts), 'invalid_network'],
    [asset.toLowerCase() === facts.usdc && required >= 0n, 'invalid_payment_requirements'],
    [payTo.toLowerCase() === facts.vault, 'invalid_exact_evm_payload_recipient_mismatch'],
    [
      paid >= required && paid >= parseUsdc(config.X402_MIN_USDC),
      'invalid_exact_evm_payload_authorization_value',
    ],
  ] as const
  const unmet = found.find(([isMet]) => !isMet)
  return { version, authorization, mismatch: mismatch ?? unmet?.[1] ?? null }
}
