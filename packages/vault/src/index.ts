/**
 * The Farebox vault as the rest of the code sees it: ABI and bytecode of the contracts, and the two things that the
 * gateway and the contract must agree on byte for byte, the EIP-712 form of a withdrawal ticket and its nonce.
 */
import { type Address, type Hex, keccak256, stringToHex } from 'viem'

export { fareboxVaultAbi, fareboxVaultBytecode, testUsdcAbi, testUsdcBytecode } from './contracts.gen.ts'

/** Permission to pay `amount` to `to`, once; `FareboxVault.withdraw` pays it when the vault's signer has signed. */
export interface Ticket {
  /** Who is paid. */
  to: Address
  /** How much, in base units of USDC (6 decimals). */
  amount: bigint
  /** The last second (Unix time) at which the ticket is good. */
  deadline: bigint
  /** Which withdrawal this is, see {@link withdrawalNonce}; the vault pays each nonce at most once. */
  nonce: Hex
}

/** EIP-712 types of a {@link Ticket}, for `signTypedData` with `primaryType: 'Ticket'`. */
export const ticketTypes = {
  Ticket: [
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** EIP-712 domain of the tickets of one vault on one chain. */
export function ticketDomain(at: { chainId: number; vault: Address }) {
  return {
    name: 'FareboxVault',
    version: '1',
    chainId: at.chainId,
    verifyingContract: at.vault,
  } as const
}

/**
 * The nonce of a withdrawal's tickets: keccak-256 of the UTF-8 bytes of its id. It depends on nothing else, so a ticket
 * that is issued again for the same withdrawal can never be paid a second time.
 */
export function withdrawalNonce(withdrawalId: string): Hex {
  return keccak256(stringToHex(withdrawalId))
}
