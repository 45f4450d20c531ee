import type { Usdc } from '@farebox/money'
import { testUsdcAbi } from '@farebox/vault'
import { type Address, encodeFunctionData, type Hex, parseSignature } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts'
import type { TestChain } from './test-chain.ts'

/** The EIP-712 types of an EIP-3009 authorization. */
export const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
/** Lifetime of an authorization, in seconds of chain time. */
const LIFETIME_SECONDS = 86_400n

/** Returns a new nonce of an authorization. */
export const newNonce = (): Hex => generatePrivateKey()

/**
 * Signs an EIP-3009 authorization of test USDC.
 *
 * @returns the call of the token that uses it, which anybody may send
 */
export async function authorizeTransfer(
  chain: TestChain,
  payer: PrivateKeyAccount,
  transfer: { amount: Usdc; to?: Address; nonce?: Hex },
): Promise<Hex> {
  const { amount, to = chain.contracts.vault, nonce = newNonce() } = transfer
  const message = {
    from: payer.address,
    to,
    value: amount,
    validAfter: 0n,
    validBefore: (await chain.now()) + LIFETIME_SECONDS,
    nonce,
  }
  const { chainId } = chain.adapter.facts
  const signature = await payer.signTypedData({
    domain: { name: 'Test USDC', version: '1', chainId, verifyingContract: chain.contracts.usdc },
    types: AUTHORIZATION_TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return transferData({ ...message, signature })
}

/** Returns the call of the token that uses an authorization. */
export function transferData(signed: {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
  signature: Hex
}): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = signed
  const { r, s, yParity } = parseSignature(signature)
  const args = [from, to, value, validAfter, validBefore, nonce, yParity + 27, r, s] as const
  return encodeFunctionData({ abi: testUsdcAbi, functionName: 'transferWithAuthorization', args })
}
