import { hash } from 'node:crypto'

/** Number of partitions of the ledger. Must never change, as each owner stays in its partition. */
export const PARTITIONS = 16

/**
 * Returns the ledger partition of an owner, 0 to 15: the low four bits of the first byte of the address's SHA-256.
 *
 * @param owner wallet address in lower case, `0x` and 40 hexadecimal digits
 */
export function ledgerPartitionOf(owner: string): number {
  return Number.parseInt(hash('sha256', owner).charAt(1), 16)
}

/**
 * Returns the first character of an owner's agent tokens, after `agt_`: the partition as an upper-case hexadecimal
 * digit. A load balancer may use it to route an owner's calls to one gateway.
 *
 * @param owner wallet address in lower case
 */
export function tokenLeadOf(owner: string): string {
  return ledgerPartitionOf(owner).toString(16).toUpperCase()
}
