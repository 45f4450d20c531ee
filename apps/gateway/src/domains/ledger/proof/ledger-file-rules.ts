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

/** Forms of values, each the only way to write one. */
const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const textLike =
  (form: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && form.test(value)
const isText = textLike(/^/)
const isCount = textLike(/^(0|[1-9]\d*)$/)
const isAmount = textLike(/^(0|-?[1-9]\d*)$/)
const isHash = textLike(/^0x[0-9a-f]{64}$/)
const isMoment = textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
/** As dates are written: in milliseconds. */
const isTime = (value: unknown): boolean => {
  const at = new Date(String(value))
  return !Number.isNaN(at.getTime()) && at.toISOString() === value
}

type Forms = Readonly<Record<string, (value: unknown) => boolean>>

const headForms: Forms = { partition: isNumber, head: isCount, hash: isHash }
const sealForms: Forms = {
  number: isCount,
  afterEntry: isCount,
  lastEntry: isCount,
  entries: isNumber,
  root: isHash,
  previous: isHash,
  hash: isHash,
  sealedAt: isTime,
}
const headed: Forms = Object.assign({}, sealForms, {
  heads: (heads: unknown) =>
    Array.isArray(heads) &&
    heads.every((head, index) => hasForm(headForms, head) && head.partition === index),
})
/** Members of each kind of line, besides `type`. */
const lineForms: Readonly<Record<string, readonly Forms[]>> = {
  ledger: [{ version: version => version === 1 || version === LEDGER_VERSION, exportedAt: isTime }],
  account: [{ id: isText, posted: isAmount, reserved: isAmount }],
  entry: [
    { id: isCount, kind: isText, account: isText, amount: isAmount, createdAt: isMoment, reference: isText },
  ],
  seal: [sealForms, headed],
  end: [{ accounts: isNumber, entries: isNumber, seals: isNumber }],
}

function hasForm(forms: Forms, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = Object.entries(value)
  return (
    members.length === Object.keys(forms).length &&
    members.every(([name, member]) => Object.hasOwn(forms, name) && forms[name]?.(member) === true)
  )
}

/**
 * Parses a line. There is one way to write each, so that no change of a file goes unnoticed.
 *
 * @returns null if it is not a line as {@link lineText} writes it
 */
export function readLine(text: string): LedgerLine | null {
  const line = parsed(text)
  if (typeof line !== 'object' || line === null || JSON.stringify(line) !== text) return null
  const { type, ...members } = line as { type?: unknown }
  const forms = typeof type === 'string' && Object.hasOwn(lineForms, type) ? lineForms[type] : undefined
  return forms?.some(each => hasForm(each, members)) ? (line as LedgerLine) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
