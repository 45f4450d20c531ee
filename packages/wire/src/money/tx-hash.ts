import { z } from 'zod'
import { GatewayError } from '../errors.ts'

/** A transaction hash: 0x and 64 lower-case hex digits. */
export type TxHash = `0x${string}`

/** A transaction hash in a body, in any case. {@link parseTxHash} validates it, as a bad one has its own error code. */
export const txHashIn = z.unknown().optional().meta({
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{64}$',
  example: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
})

/**
 * Parses a transaction hash in any case.
 *
 * @returns the hash in lower case, so that hashes compare equal whatever their case
 * @throws GatewayError INVALID_TX_HASH for anything but 0x and 64 hex digits
 */
export function parseTxHash(input: unknown): TxHash {
  if (typeof input !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(input))
    throw new GatewayError('INVALID_TX_HASH')
  return input.toLowerCase() as TxHash
}
