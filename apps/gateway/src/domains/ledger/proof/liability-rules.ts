import { hash } from 'node:crypto'
import { type Usdc, usdc } from '@farebox/money'
import { HASH_BYTES, hexOf, leafHash, nodeHash } from './merkle-rules.ts'

/** Bytes of a sum as it is hashed: an unsigned number, the most significant byte first. */
const SUM_BYTES = 8
const SUM_MAX = 2n ** 63n - 1n
/** Nodes of one stored row of a tree; two to the power of {@link PART_LEVELS}. */
export const NODES_PER_PART = 256
export const PART_LEVELS = 8

/** A node of a Merkle sum tree: its hash, and what the wallets below it are owed together, in micro-USDC. */
export type SumNode = { readonly hash: Buffer; readonly sum: bigint }

/** One step from a leaf to the root: the node beside, and on which side of ours it is. */
export type Sibling = SumNode & { readonly side: 'left' | 'right' }

/** The salt of a wallet in a tree: nobody can try whether a hash is that of a wallet and a balance that they guess. */
export const saltOf = (secret: Buffer, wallet: string): Buffer =>
  hash('sha256', Buffer.concat([secret, Buffer.from(wallet)]), 'buffer')

/** The leaf of a wallet. The database makes the same (`liability_text`). `wallet` is lower-case. */
export function leafOf(wallet: string, salt: Buffer, balance: bigint): SumNode {
  return { hash: leafHash(`${wallet}\n${hexOf(salt)}\n${balance}`), sum: balance }
}

/**
 * The node above two nodes. Sums are hashed with their nodes, so that none can be told otherwise.
 *
 * @throws RangeError when a sum is negative or beyond what there can be: a negative one would hide what others are owed
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

/** The root that a leaf and its branch lead to. */
export const rootOf = (leaf: SumNode, branch: readonly Sibling[]): SumNode =>
  branch.reduce(
    (node, sibling) => (sibling.side === 'left' ? above(sibling, node) : above(node, sibling)),
    leaf,
  )

/**
 * The nodes beside the way from one node up to where there is one left, pairs being made from the left; a last one
 * without another goes up as it is, and has nothing beside it.
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

/** What a wallet is told of its part in a tree; amounts in micro-USDC. */
export type Inclusion = {
  readonly wallet: string
  readonly balance: Usdc
  readonly salt: Buffer
  readonly leaf: Buffer
  readonly branch: readonly Sibling[]
  readonly root: Buffer
  /** What all wallets are owed together. */
  readonly owed: Usdc
  readonly asOf: Date
}

/** Whether a wallet with a balance is in the tree that has this root and this sum. */
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

/** Reads nodes as they are stored: hashes one behind the other, and their sums in decimal. */
export function nodesOf(part: { readonly hashes: Buffer; readonly sums: readonly string[] }): SumNode[] {
  return part.sums.map((sum, index) => ({
    hash: part.hashes.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1)),
    sum: BigInt(sum),
  }))
}
