import { hash } from 'node:crypto'
import { HASH_BYTES, hexOf } from './merkle-rules.ts'

/**
 * What a seal is over: the entries above `afterEntry` up to `lastEntry`, and through `previous` all that was sealed
 * before. Ids are those of entries.
 */
export type SealBody = {
  /** 1 for the first; none is left out. */
  readonly number: bigint
  /** Last entry of the seal before; 0 for the first seal. */
  readonly afterEntry: bigint
  readonly lastEntry: bigint
  /** How many entries there are between them. */
  readonly entries: number
  /** Root of the Merkle tree over these entries. */
  readonly root: Buffer
  /** Hash of the seal before. */
  readonly previous: Buffer
  readonly sealedAt: Date
}

/** A seal with its own hash. */
export type Seal = SealBody & { readonly hash: Buffer }

/** How far a look at the seals has come: a seal, and the hash that it had. */
export type SealMark = Pick<Seal, 'number' | 'hash'>

/** Before the first seal. */
export const NO_SEAL: SealMark & Pick<Seal, 'lastEntry'> = {
  number: 0n,
  hash: Buffer.alloc(HASH_BYTES),
  lastEntry: 0n,
}

/** An entry as it is sealed; `createdAt` is ISO 8601 in UTC with microseconds. */
export type SealedEntry = {
  readonly id: bigint | string
  readonly kind: string
  readonly account: string
  readonly amount: bigint | string
  readonly createdAt: string
  readonly reference: string
}

/**
 * The text of an entry whose leaf hash is sealed. The database has the same (`entry_text`); only the last line may be any
 * text, so no two entries share one.
 */
export const entryText = ({ id, kind, account, amount, createdAt, reference }: SealedEntry): string =>
  `${id}\n${kind}\n${account}\n${amount}\n${createdAt}\n${reference}`

/** The hash of a seal: SHA-256 of its lines. */
export function sealHash(seal: SealBody): Buffer {
  const { number, afterEntry, lastEntry, entries, root, previous, sealedAt } = seal
  const lines = [
    'farebox-seal-v1',
    ...[number, afterEntry, lastEntry, entries],
    ...[hexOf(root), hexOf(previous), sealedAt.toISOString()],
  ]
  return hash('sha256', lines.join('\n'), 'buffer')
}

/** What is wrong with a seal. */
export type SealFault = { readonly check: SealCheck; readonly expected: string; readonly found: string }
export type SealCheck =
  | 'seals-are-numbered-without-a-gap'
  | 'a-seal-goes-on-where-the-one-before-ended'
  | 'a-seal-contains-the-hash-of-the-one-before'
  | 'a-seal-has-the-hash-of-what-it-says'
  | 'a-seal-fits-its-entries'

/**
 * Compares a seal with the one before it and with the entries that are there now.
 *
 * @param before the seal before, {@link NO_SEAL} for the first
 * @param now    entries between the ends of the seal, as they are counted and hashed anew
 */
export function faultsOfSeal(
  seal: Seal,
  before: Pick<Seal, 'number' | 'hash' | 'lastEntry'>,
  now: Pick<Seal, 'entries' | 'root'>,
): SealFault[] {
  const told: [SealCheck, string, string][] = [
    ['seals-are-numbered-without-a-gap', `${before.number + 1n}`, `${seal.number}`],
    ['a-seal-goes-on-where-the-one-before-ended', `${before.lastEntry}`, `${seal.afterEntry}`],
    ['a-seal-contains-the-hash-of-the-one-before', hexOf(before.hash), hexOf(seal.previous)],
    ['a-seal-has-the-hash-of-what-it-says', hexOf(sealHash(seal)), hexOf(seal.hash)],
    ['a-seal-fits-its-entries', tell(seal), tell(now)],
  ]
  return told
    .filter(([, expected, found]) => expected !== found)
    .map(([check, expected, found]) => ({ check, expected, found }))
}

const tell = ({ entries, root }: Pick<Seal, 'entries' | 'root'>): string =>
  `${entries} entries with root ${hexOf(root)}`
