import { hash } from 'node:crypto'
import { HASH_BYTES, hexOf } from './merkle-rules.ts'

/** Head of a log partition: its last row and that row's hash. */
export type SealedHead = {
  readonly partition: number
  /** Decimal; 0 before the first row. */
  readonly head: string
  /** `0x` and 64 hexadecimal digits; zeros before the first row. */
  readonly hash: string
}

/**
 * Content of a seal: the entries above `afterEntry` up to `lastEntry`, and through `previous` everything sealed before.
 * Ids are those of entries.
 */
export type SealBody = {
  /** Starts at 1, without gaps. */
  readonly number: bigint
  /** Last entry of the previous seal; 0 for the first seal. */
  readonly afterEntry: bigint
  readonly lastEntry: bigint
  /** Number of entries between these ids. */
  readonly entries: number
  /** Root of the Merkle tree over these entries. */
  readonly root: Buffer
  /** Hash of the previous seal. */
  readonly previous: Buffer
  readonly sealedAt: Date
  /** Heads of all partitions in order; null in the first version, which had none. */
  readonly heads: readonly SealedHead[] | null
}

/** A seal with its own hash. */
export type Seal = SealBody & { readonly hash: Buffer }

/** Progress of a comparison: a seal and its hash. */
export type SealMark = Pick<Seal, 'number' | 'hash'>

/** State that the next seal continues. */
export type SealBefore = Pick<Seal, 'number' | 'hash' | 'lastEntry' | 'heads'>

/** Mark before the first seal. */
export const NO_SEAL: SealBefore = {
  number: 0n,
  hash: Buffer.alloc(HASH_BYTES),
  lastEntry: 0n,
  heads: null,
}

/** An entry as sealed; `createdAt` is ISO 8601 in UTC with microseconds. */
export type SealedEntry = {
  readonly id: bigint | string
  readonly kind: string
  readonly account: string
  readonly amount: bigint | string
  readonly createdAt: string
  readonly reference: string
}

/**
 * Returns the text of an entry whose leaf hash is sealed. Equals `entry_text` in the database. Only the last line is
 * free text, so no two entries have the same text.
 */
export const entryText = ({ id, kind, account, amount, createdAt, reference }: SealedEntry): string =>
  `${id}\n${kind}\n${account}\n${amount}\n${createdAt}\n${reference}`

/** Returns the hash of partition heads: SHA-256 of one line for each. */
export const headsHash = (heads: readonly SealedHead[]): Buffer =>
  hash(
    'sha256',
    heads.map(({ partition, head, hash }) => `${partition} ${head} ${hash}`).join('\n'),
    'buffer',
  )

/** Returns the hash of a seal: SHA-256 of its lines. */
export function sealHash(seal: SealBody): Buffer {
  const { number, afterEntry, lastEntry, entries, root, previous, sealedAt, heads } = seal
  const lines = [
    heads === null ? 'farebox-seal-v1' : 'farebox-seal-v2',
    number,
    afterEntry,
    lastEntry,
    entries,
    hexOf(root),
    hexOf(previous),
    sealedAt.toISOString(),
    ...(heads === null ? [] : [hexOf(headsHash(heads))]),
  ]
  return hash('sha256', lines.join('\n'), 'buffer')
}

/** A fault of a seal. */
export type SealFault = { readonly check: SealCheck; readonly expected: string; readonly found: string }
export type SealCheck =
  | 'seals-are-numbered-without-a-gap'
  | 'a-seal-goes-on-where-the-one-before-ended'
  | 'a-seal-contains-the-hash-of-the-one-before'
  | 'a-seal-has-the-hash-of-what-it-says'
  | 'a-seal-fits-its-entries'
  | 'heads-of-the-log-only-move-on'

/**
 * Compares a seal with the previous one and with its entries.
 *
 * @param before previous seal, {@link NO_SEAL} for the first
 * @param now    entries in the range of the seal, counted and hashed again
 */
export function faultsOfSeal(
  seal: Seal,
  before: SealBefore,
  now: Pick<Seal, 'entries' | 'root'>,
): SealFault[] {
  const checks: [SealCheck, string, string][] = [
    ['seals-are-numbered-without-a-gap', `${before.number + 1n}`, `${seal.number}`],
    ['a-seal-goes-on-where-the-one-before-ended', `${before.lastEntry}`, `${seal.afterEntry}`],
    ['a-seal-contains-the-hash-of-the-one-before', hexOf(before.hash), hexOf(seal.previous)],
    ['a-seal-has-the-hash-of-what-it-says', hexOf(sealHash(seal)), hexOf(seal.hash)],
    ['a-seal-fits-its-entries', describe(seal), describe(now)],
    ['heads-of-the-log-only-move-on', 'none behind', behindOf(seal.heads, before.heads)],
  ]
  return checks
    .filter(([, expected, found]) => expected !== found)
    .map(([check, expected, found]) => ({ check, expected, found }))
}

const describe = ({ entries, root }: Pick<Seal, 'entries' | 'root'>): string =>
  `${entries} entries with root ${hexOf(root)}`

/** Returns the heads that are behind those of the previous seal. */
function behindOf(heads: readonly SealedHead[] | null, before: readonly SealedHead[] | null): string {
  if (before === null) return 'none behind'
  if (heads === null) return 'no heads'
  const behind = before.filter(({ head, hash }, index) => {
    const now = heads[index]
    return now === undefined || BigInt(now.head) < BigInt(head) || (now.head === head && now.hash !== hash)
  })
  return behind.length === 0
    ? 'none behind'
    : `partitions ${behind.map(({ partition }) => partition).join(', ')}`
}
