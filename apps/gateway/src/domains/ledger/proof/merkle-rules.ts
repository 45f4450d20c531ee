import { hash } from 'node:crypto'

/** Bytes of a hash. */
export const HASH_BYTES = 32
const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** Returns the hash of a leaf: SHA-256 of a zero byte and its text (RFC 9162, 2.1.1). */
export const leafHash = (text: string): Buffer => sha256(LEAF, Buffer.from(text))

/** Returns the hash of a node: SHA-256 of a one byte and its children, from left to right. */
export const nodeHash = (...below: readonly Uint8Array[]): Buffer => sha256(NODE, ...below)

/** Formats a hash for the wire and for hashed texts. */
export const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`

/** Parses the result of {@link hexOf}. */
export const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')

/**
 * Computes the root of a Merkle tree (RFC 9162, 2.1.1) from leaves added one by one. Stores only the roots of complete
 * subtrees: one for each bit of the number of leaves.
 */
export function createRootMaker() {
  const whole: { hash: Buffer; leaves: number }[] = []
  return {
    add(leaf: Buffer): void {
      let made = { hash: leaf, leaves: 1 }
      for (let left = whole.at(-1); left?.leaves === made.leaves; left = whole.at(-1)) {
        whole.pop()
        made = { hash: nodeHash(left.hash, made.hash), leaves: 2 * made.leaves }
      }
      whole.push(made)
    },
    /** The root of all leaves so far; without leaves the hash of the empty string. */
    root(): Buffer {
      const [last, ...rest] = whole.toReversed()
      if (last === undefined) return sha256()
      return rest.reduce((right, left) => nodeHash(left.hash, right), last.hash)
    },
  }
}
