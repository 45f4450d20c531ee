import { hash } from 'node:crypto'
import { type Usdc, usdc } from '@farebox/money'
import { HASH_BYTES, hexOf, leafHash, nodeHash } from './merkle-rules.ts'

/** Bytes of a hashed sum: unsigned, big-endian. */
const SUM_BYTES = 8
const SUM_MAX = 2n ** 63n - 1n
/** Nodes per stored row of a tree: two to the power of {@link PART_LEVELS}. */
export const NODES_PER_PART = 256
export const PART_LEVELS = 8

/** A node of a Merkle sum tree: its hash and the sum of its leaves, in micro-USDC. */
export type SumNode = { readonly hash: Buffer; readonly sum: bigint }

/** One step from a leaf to the root: the sibling node and its side. */
export type Sibling = SumNode & { readonly side: 'left' | 'right' }

/** Returns the salt of a wallet in a tree. It keeps others from testing guesses of a wallet and its balance. */
export const saltOf = (secret: Buffer, wallet: string): Buffer =>
  hash('sha256', Buffer.concat([secret, Buffer.from(wallet)]), 'buffer')

/** Returns the leaf of a wallet. Equals `liability_text` in the database. `wallet` is lower-case. */
export function leafOf(wallet: string, salt: Buffer, balance: bigint): SumNode {
  return { hash: leafHash(`${wallet}\n${hexOf(salt)}\n${balance}`), sum: balance }
}

/**
 * Returns the parent of two nodes. Sums are hashed with the nodes, so they cannot be changed.
 *
 * @throws RangeError if a sum is negative or too large: a negative one would hide liabilities to others
 */
export function above(left: SumNode, right: SumNode): SumNode {
  const sum = left.sum + right.sum
  return { hash: nodeHash(left.hash, sumBytes(left.sum), right.hash, sumBytes(right.sum)), sum: inRange(sum) }
}

function sumBytes(sum: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(SUM_BYTES)
  bytes.writeBigUInt64BE(inRange(sum))
  return bytes
}

function inRange(sum: bigint): bigint {
  if (sum < 0n || sum > SUM_MAX) throw new RangeError('A sum is out of range.')
  return sum
}

/** Returns the root of a leaf and its branch. */
export const rootOf = (leaf: SumNode, branch: readonly Sibling[]): SumNode =>
  branch.reduce(
    (node, sibling) => (sibling.side === 'left' ? above(sibling, node) : above(node, sibling)),
    leaf,
  )

/**
 * Returns the siblings from a node up to the level with a single node. Nodes are paired from the left; the last node of
 * an odd level moves up unchanged and has no sibling.
 */
export function branchWithin(nodes: readonly SumNode[], place: number): Sibling[] {
  const branch: Sibling[] = []
  let [level, at] = [nodes, place]
  while (level.length > 1) {
    const sibling = level[at ^ 1]
    if (sibling !== undefined) branch.push({ ...sibling, side: at % 2 === 0 ? 'right' : 'left' })
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
      const [left, right] = [level[2 * index], level[2 * index + 1]]
      if (left === undefined) throw new RangeError('There is no such node.')
      return right === undefined ? left : above(left, right)
    })
    at >>= 1
  }
  return branch
}

/** Inclusion proof of a wallet; amounts in micro-USDC. */
export type Inclusion = {
  readonly wallet: string
  readonly balance: Usdc
  readonly salt: Buffer
  readonly leaf: Buffer
  readonly branch: readonly Sibling[]
  readonly root: Buffer
  /** Liabilities to all wallets. */
  readonly owed: Usdc
  readonly asOf: Date
}

/** Returns true if a wallet with a balance is in the tree of this root and sum. */
export function isIncluded(inclusion: Omit<Inclusion, 'asOf' | 'leaf'>): boolean {
  const { wallet, salt, balance, branch, root, owed } = inclusion
  try {
    const found = rootOf(leafOf(wallet, salt, balance), branch)
    return found.hash.equals(root) && found.sum === owed && balance >= usdc(0n)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Parses stored nodes: concatenated hashes, and their sums in decimal. */
export function nodesOf(part: { readonly hashes: Buffer; readonly sums: readonly string[] }): SumNode[] {
  return part.sums.map((sum, index) => ({
    hash: part.hashes.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1)),
    sum: BigInt(sum),
  }))
}
