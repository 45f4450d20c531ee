/**
 * The Farebox vault: ABI and bytecode of the contracts, and the two values that gateway and contract must compute
 * identically: the EIP-712 form of a withdrawal ticket, and its nonce.
 */
import {
  type Address,
  getAddress,
  type Hex,
  hashTypedData,
  keccak256,
  recoverAddress,
  stringToHex,
} from 'viem'

export {
  compilerVersion,
  fareboxVaultAbi,
  fareboxVaultBytecode,
  testUsdcAbi,
  testUsdcBytecode,
} from './contracts.gen.ts'

/** Permission to pay `amount` to `to`, once. `FareboxVault.withdraw` pays it if the vault's signer has signed it. */
export interface Ticket {
  /** Recipient. */
  to: Address
  /** Amount in base units of USDC (6 decimals). */
  amount: bigint
  /** Unix time, in seconds, of the last second in which the ticket is valid. */
  deadline: bigint
  /** Identifies the withdrawal, see {@link withdrawalNonce}. The vault pays each nonce at most once. */
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

/** Returns the EIP-712 domain of the tickets of a vault. */
export function ticketDomain(at: { chainId: number; vault: Address }) {
  return {
    name: 'FareboxVault',
    version: '1',
    chainId: at.chainId,
    verifyingContract: at.vault,
  } as const
}

/**
 * Returns the nonce of a withdrawal's tickets: keccak-256 of the UTF-8 bytes of its id. It depends on nothing else, so
 * a ticket that is issued again for the same withdrawal cannot be paid a second time.
 */
export function withdrawalNonce(withdrawalId: string): Hex {
  return keccak256(stringToHex(withdrawalId))
}

/** Returns a ticket of a vault as typed data (EIP-712), to sign or to verify. */
export function ticketTypedData(at: { chainId: number; vault: Address }, ticket: Ticket) {
  const { to, amount, deadline, nonce } = ticket
  return {
    domain: ticketDomain({ chainId: at.chainId, vault: getAddress(at.vault) }),
    types: ticketTypes,
    primaryType: 'Ticket',
    message: { to: getAddress(to), amount, deadline, nonce },
  } as const
}

/** A signed ticket as a withdrawal stores it; `wallet` is its recipient. */
export type SignedTicket = Omit<Ticket, 'to'> & {
  readonly wallet: Address
  readonly chainId: bigint
  readonly vault: Address
  readonly signature: Hex
}

/** Returns the address whose key signed a ticket, in lower case; null if the signature is not one of a key. */
export async function ticketSigner(signed: SignedTicket): Promise<Address | null> {
  const { wallet: to, amount, deadline, nonce, chainId, vault, signature } = signed
  const at = { chainId: Number(chainId), vault }
  const hash = hashTypedData(ticketTypedData(at, { to, amount, deadline, nonce }))
  const signer = await recoverAddress({ hash, signature }).catch(() => null)
  return signer === null ? null : (signer.toLowerCase() as Address)
}
