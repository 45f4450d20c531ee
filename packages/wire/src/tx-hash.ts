import { GatewayError } from './errors.ts'

/** A transaction hash, 0x and 64 lower-case hex digits. */
export type TxHash = `0x${string}`

/**
 * Reads a transaction hash as a client sends it, in any case.
 *
 * @returns the hash in lower case: the same hash in another case is the same hash
 * @throws GatewayError INVALID_TX_HASH for anything but 0x and 64 hex digits
 */
export function parseTxHash(input: unknown): TxHash {
  if (typeof input !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(input))
    throw new GatewayError('INVALID_TX_HASH')
  return input.toLowerCase() as TxHash
}
