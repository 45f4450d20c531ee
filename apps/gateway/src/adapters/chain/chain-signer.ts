import { fareboxVaultAbi, ticketTypedData } from '@farebox/vault'
import { type Address, type Hex, hashTypedData, type PublicClient } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { VaultPlace, VaultSigner, VaultTicket } from '../../ports.ts'
import { lowerCase } from './chain-events.ts'
import { ask, askContract } from './chain-rpc.ts'

/** Answer of an ERC-1271 contract that accepts a signature. */
const ACCEPTED = '0x1626ba7e'
const isValidSignatureAbi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ type: 'bytes4' }],
  },
] as const
/** A ticket that no vault pays: its amount is zero and its deadline long past. */
export const PROBE: Omit<VaultTicket, 'amount'> & { readonly amount: bigint } = {
  to: `0x${'00'.repeat(19)}01`,
  amount: 0n,
  deadline: 0n,
  nonce: `0x${'00'.repeat(32)}`,
}

/** Key of the gateway that signs tickets of one vault. */
export type TicketKey = {
  /** Lower-case. */
  readonly address: Address
  /** Kept elsewhere: a signature needs the network. */
  readonly isRemote: boolean
  sign(ticket: Pick<VaultTicket, 'to' | 'deadline' | 'nonce'> & { readonly amount: bigint }): Promise<Hex>
}

/** @param key 32 bytes in hex, with or without 0x */
export const openKey = (key: string): PrivateKeyAccount => privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)

/** Returns the key that signs tickets of a vault; signing touches no network. */
export function createTicketKey(account: PrivateKeyAccount, facts: VaultPlace): TicketKey {
  return {
    address: lowerCase(account.address),
    isRemote: false,
    sign: ticket => account.signTypedData(ticketTypedData(facts, ticket)),
  }
}

/**
 * Reads the vault's signer, and whether the vault would accept tickets of our key. Checks as the vault does: by address
 * if the signer has no code, otherwise by asking the signer (ERC-1271) about a worthless ticket.
 *
 * @param key null if this gateway signs nothing
 */
export async function readSigner(
  client: PublicClient,
  facts: VaultPlace,
  key: TicketKey | null,
): Promise<VaultSigner> {
  const appointed = await ask(() =>
    client.readContract({ address: facts.vault, abi: fareboxVaultAbi, functionName: 'signer' }),
  )
  const address = lowerCase(appointed)
  if (key === null) return { address, acceptsOurs: false }
  const code = await ask(() => client.getCode({ address }))
  if (code === undefined || code === '0x') return { address, acceptsOurs: address === key.address }
  const args = [hashTypedData(ticketTypedData(facts, PROBE)), await key.sign(PROBE)] as const
  const answer = await askContract(() =>
    client.readContract({ address, abi: isValidSignatureAbi, functionName: 'isValidSignature', args }),
  )
  return { address, acceptsOurs: answer === ACCEPTED }
}
