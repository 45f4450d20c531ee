import type { Usdc } from '@farebox/money'
import type { Address, Hex } from 'viem'

/** A signed EIP-3009 authorization to move USDC into the vault. `payer` is lower-case; times are in Unix seconds. */
export type Authorization = {
  readonly payer: Address
  readonly to: Address
  readonly amount: Usdc
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

/**
 * Submits EIP-3009 authorizations to the token of the vault, with a key of the gateway that pays the gas. Every call is
 * bounded in time.
 *
 * @throws GatewayError UNAVAILABLE if the node is unreachable
 */
export interface Settler {
  /** Address of the key, lower-case. */
  readonly address: Address
  /** The token's EIP-712 domain, which payers sign for. */
  readonly token: { readonly name: string; readonly version: string }
  /** Returns why the token would not accept an authorization now, as a reason of x402; null if it would. */
  verify(authorization: Authorization): Promise<string | null>
  /** Returns true if the token has used, or its payer has cancelled, an authorization. */
  isUsed(authorization: Pick<Authorization, 'payer' | 'nonce'>): Promise<boolean>
  /** Returns the ether of the key, and the most that one payment costs at the current gas price, in wei. */
  gas(): Promise<{ readonly left: bigint; readonly perPayment: bigint }>
  /**
   * Signs the transaction that uses an authorization, and broadcasts it. Callers ensure that one runs at a time. If one
   * of its transactions is held up by its price or by that of another, it takes the place of the one that is first.
   *
   * @param sent hashes of its transactions so far, oldest first
   * @param onSigned called with the hash before the transaction is broadcast; if it throws, nothing is sent
   * @returns the hash; null if the token refuses the authorization, or an earlier transaction will be mined: nothing is
   * sent
   */
  submit(
    authorization: Authorization,
    sent: readonly Hex[],
    onSigned: (txHash: Hex) => Promise<void>,
  ): Promise<Hex | null>
}
