import { hexOf } from './merkle-rules.ts'
import type { Seal, SealedEntry, SealedHead } from './seal-rules.ts'

// Lines of an exported ledger, one JSON object each: head, accounts, entries ordered by id, each seal after the last
// entry that it covers, and the end. Whole numbers that may be large are strings. Format: docs/proof.md.

/** Version 2: seals have heads. Version 1 can be read as well. */
export const LEDGER_VERSION = 2

export type AccountLine = {
  readonly type: 'account'
  readonly id: string
  readonly posted: string
  readonly reserved: string
}
export type EntryLine = { readonly type: 'entry' } & SealedEntry
export type SealLine = {
  readonly type: 'seal'
  readonly number: string
  readonly afterEntry: string
  readonly lastEntry: string
  readonly entries: number
  readonly root: string
  readonly previous: string
  readonly hash: string
  readonly sealedAt: string
  /** Absent in seals of version 1. */
  readonly heads?: readonly SealedHead[]
}
/** Counts of lines by kind, which reveal a truncated file. */
export type LedgerCounts = { readonly accounts: number; readonly entries: number; readonly seals: number }

export type LedgerLine =
  | { readonly type: 'ledger'; readonly version: number; readonly exportedAt: string }
  | AccountLine
  | EntryLine
  | SealLine
  | ({ readonly type: 'end' } & LedgerCounts)

/** A line as written. */
export const lineText = (line: LedgerLine): string => `${JSON.stringify(line, asText)}\n`

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

/** Returns the seal of its line. */
export function sealLine(seal: Seal): SealLine {
  const { number, afterEntry, lastEntry, entries, root, previous, hash, sealedAt, heads } = seal
  return {
    type: 'seal',
    number: `${number}`,
    afterEntry: `${afterEntry}`,
    lastEntry: `${lastEntry}`,
    entries,
    root: hexOf(root),
    previous: hexOf(previous),
    hash: hexOf(hash),
    sealedAt: sealedAt.toISOString(),
    ...(heads !== null && { heads }),
  }
}
