/** Hashes and sums of docs/proof.md, computed in the browser with WebCrypto, without the gateway. */

const SUM_BYTES = 8
const SUM_MAX = 2n ** 63n - 1n
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** A node of the tree: its hash as `0x…` and the sum of the balances below it, in micro-USDC. */
export type Node = { readonly hash: string; readonly sum: bigint }
/** A sibling on the path to the root, and its side. */
export type Sibling = { readonly hash: string; readonly sumUsdc: string; readonly side: 'left' | 'right' }

/** An amount or hash that is malformed, so that nothing can be checked. */
export class NoProofError extends Error {}

/**
 * Parses a balance as micro-USDC. Rejects signs: a negative sum in a tree would hide what others are owed.
 *
 * @throws NoProofError
 */
export function micros(usdc: string): bigint {
  if (!/^\d{1,18}\.\d{6}$/.test(usdc)) throw new NoProofError(`${usdc} is not a valid balance.`)
  return inRange(BigInt(usdc.replace('.', '')))
}

/** Formats micro-USDC as a wire amount. */
export function formatMicros(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

function inRange(sum: bigint): bigint {
  if (sum < 0n || sum > SUM_MAX) throw new NoProofError('A sum is out of range.')
  return sum
}

function bytesOf(hash: string): Uint8Array {
  if (!/^0x[0-9a-f]{64}$/.test(hash)) throw new NoProofError(`${hash} is not a hash.`)
  return Uint8Array.from(hash.slice(2).match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

function sumBytes(sum: bigint): Uint8Array {
  const bytes = new Uint8Array(SUM_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, inRange(sum))
  return bytes
}

async function sha256(...parts: readonly Uint8Array[]): Promise<string> {
  if (globalThis.crypto.subtle === undefined)
    throw new NoProofError('This browser computes hashes only on HTTPS pages.')
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `0x${Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')}`
}

const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Computes the leaf of a wallet. */
export async function leafOf(wallet: string, salt: string, balanceUsdc: string): Promise<Node> {
  const sum = micros(balanceUsdc)
  bytesOf(salt)
  return { hash: await sha256(LEAF, textBytes(`${wallet.toLowerCase()}\n${salt}\n${sum}`)), sum }
}

async function above(left: Node, right: Node): Promise<Node> {
  const below = [left, right].flatMap(({ hash, sum }) => [bytesOf(hash), sumBytes(sum)])
  return { hash: await sha256(NODE, ...below), sum: inRange(left.sum + right.sum) }
}

/** A level of the path to the root: the pair of nodes, our side of it, and the parent. */
export type Level = {
  readonly mine: Node
  readonly other: Node
  readonly side: Sibling['side']
  readonly above: Node
}

/** Computes the path from a leaf to the root, which is the last level's `above`. */
export async function climb(leaf: Node, branch: readonly Sibling[]): Promise<Level[]> {
  const levels: Level[] = []
  let mine = leaf
  for (const { hash, sumUsdc, side } of branch) {
    const other = { hash, sum: micros(sumUsdc) }
    const node = side === 'left' ? await above(other, mine) : await above(mine, other)
    levels.push({ mine, other, side, above: node })
    mine = node
  }
  return levels
}

/** The content of a seal. */
export type SealText = {
  readonly number: number
  readonly afterEntryId: string
  readonly lastEntryId: string
  readonly entries: number
  readonly root: string
  readonly previousHash: string
  readonly hash: string
  readonly sealedAt: string
  /** Null in the first version. */
  readonly heads:
    | readonly { readonly partition: number; readonly head: string; readonly hash: string }[]
    | null
}

/** Computes the hash of a seal from its content. */
export async function sealHash(seal: SealText): Promise<string> {
  const { number, afterEntryId, lastEntryId, entries, root, previousHash, sealedAt, heads } = seal
  const lines = [number, afterEntryId, lastEntryId, entries, root, previousHash, sealedAt]
  if (heads === null) lines.unshift('farebox-seal-v1')
  else {
    const text = heads.map(({ partition, head, hash }) => `${partition} ${head} ${hash}`).join('\n')
    lines.unshift('farebox-seal-v2')
    lines.push(await sha256(textBytes(text)))
  }
  return sha256(textBytes(lines.join('\n')))
}
