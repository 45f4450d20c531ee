import { formatUsdc, type Usdc } from '@farebox/money'

/** Advice to the payer for each reason for which x402 refuses a payment. */
const MESSAGES: Readonly<Record<string, string>> = {
  unsupported_scheme: 'The payment is by another scheme. Pay by exact.',
  invalid_network: 'The payment is for another network. Pay on the network of the terms.',
  invalid_exact_evm_payload_recipient_mismatch:
    'The payment is to another address. Pay to payTo of the terms.',
  invalid_exact_evm_signature:
    'The signature does not fit the payment. Sign with the key of the payer, for the network, the asset and its name and version (extra) of the terms.',
  invalid_exact_evm_payload_authorization_valid_before:
    'The payment has expired, or would before it is mined. Check the clock of your machine, and sign a new payment.',
  invalid_exact_evm_payload_authorization_valid_after:
    'The payment is not valid yet. Check the clock of your machine, and sign a new payment.',
  invalid_exact_evm_insufficient_balance:
    "The payer's wallet holds less USDC than it pays. Send USDC to the wallet on the network of the terms.",
  invalid_exact_evm_nonce_already_used:
    'This payment was not settled for this request. If it went to the vault, it is credited to the payer, who can spend it by sign-in-with-x.',
}

/**
 * Returns what to do about a payment or a sign-in that is refused.
 *
 * @param reason of x402
 * @param due minimum of a payment
 * @returns undefined for a reason without advice
 */
export function adviceOn(reason: string, due: Usdc): string | undefined {
  if (reason.startsWith('invalid_siwx'))
    return 'The sign-in is not valid. Sign the message of the terms, which is good for one call.'
  if (reason === 'invalid_exact_evm_payload_authorization_value')
    return `The payment is not enough. Sign one of ${formatUsdc(due)} USDC.`
  return MESSAGES[reason]
}
