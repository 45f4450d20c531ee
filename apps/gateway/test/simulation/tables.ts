import { hash } from 'node:crypto'
import type { CredentialBudget, PolicyBudget } from '../../src/domains/credentials/draw-budgets.ts'
import type { LogColumns, LogRow } from '../../src/domains/invocation/log/ledger-events.ts'
import type { InvocationStatus } from '../../src/domains/invocation/rules.ts'
import type { AccountState } from '../../src/domains/ledger/lock-books.ts'

/** A log row as written: JSON as text. */
export type NewRow = LogColumns & {
  readonly partition: number
  readonly seq: number
  readonly writer: string
  readonly changed: string | null
}

/** A row as a database driver reads it. */
export type ReadRow = LogRow & { readonly seq: bigint; readonly hash: Buffer; readonly writer: string }

type WrittenRow = NewRow & { readonly hash: Buffer }

/** A log row as stored. */
export type StoredRow = WrittenRow & {
  readonly read: ReadRow
  /** Unix milliseconds of the database. */
  readonly at: number
}

export type InvocationRow = {
  readonly id: string
  readonly credentialId: string
  readonly idempotencyKey: string
  readonly requestHash: Buffer
  readonly owner: string
  readonly provider: string
  readonly serviceId: string
  readonly hold: bigint
  readonly drawnAt: Date
  readonly status: InvocationStatus
  readonly charged: bigint
  readonly promotional: bigint
  readonly fee: bigint
  readonly latencyMs: number | null
  readonly attempts: number
  readonly errorCode: string | null
}

export type MeteredRow = {
  readonly event: Readonly<Record<string, unknown>>
  readonly processingSince: Date | null
  readonly reason: string | null
  readonly pendingResult: string | null
  readonly inputTokens: bigint | null
  readonly outputTokens: bigint | null
}

export type Entry = {
  readonly kind: string
  readonly reference: string
  readonly account: string
  readonly amount: bigint
}

export type Partition = {
  head: number
  hash: Buffer
  /** Includes uncommitted projections. */
  projected: number
  /** As seen by other transactions. */
  committedProjected: number
  readonly rows: StoredRow[]
}

/** Committed rows. */
export type Tables = {
  readonly partitions: readonly Partition[]
  readonly accounts: Map<string, AccountState>
  readonly credentials: Map<string, CredentialBudget>
  readonly policies: Map<string, PolicyBudget>
  readonly invocations: Map<string, InvocationRow>
  /** Unique index: id by credential and key. */
  readonly keys: Map<string, string>
  readonly open: Map<string, string>
  readonly metered: Map<string, MeteredRow>
  readonly answers: Map<string, { readonly httpStatus: number; readonly body: string }>
  readonly pending: Map<string, string>
  readonly entries: Map<string, Entry>
  /** End of the lease by gateway. */
  readonly leases: Map<string, number>
  readonly services: Map<string, bigint>
  readonly captured: Map<string, bigint>
  readonly news: Map<number, { readonly type: string; readonly invocationId: string | undefined }>
}

export const NOTHING_WRITTEN = Buffer.alloc(32)

/** Returns empty tables. */
export function createTables(partitions: number): Tables {
  return {
    partitions: Array.from({ length: partitions }, () => ({
      head: 0,
      hash: NOTHING_WRITTEN,
      projected: 0,
      committedProjected: 0,
      rows: [],
    })),
    accounts: new Map(),
    credentials: new Map(),
    policies: new Map(),
    invocations: new Map(),
    keys: new Map(),
    open: new Map(),
    metered: new Map(),
    answers: new Map(),
    pending: new Map(),
    entries: new Map(),
    leases: new Map(),
    services: new Map(),
    captured: new Map(),
    news: new Map(),
  }
}

/** Hash of a row, as ledger_hash in the migrations makes it. */
export function hashOf(previous: Buffer, row: NewRow): Buffer {
  const { partition, seq, writer, held, awaited, ended, credentials, policies, accounts, changed } = row
  const texts = `${held ?? ''}\n${awaited ?? ''}\n${ended ?? ''}\n${credentials ?? ''}\n${policies ?? ''}\n${accounts ?? ''}\n${changed ?? ''}`
  const text = `${previous.toString('latin1')}${partition}\n${seq}\n${writer}\n${texts}`
  // A digest as a buffer takes three times as long.
  return Buffer.from(hash('sha256', text), 'hex')
}

const parse = <Value>(text: string | null): Value | null => (text === null ? null : JSON.parse(text))

/** Parses a row like a database driver, once for all readers: they cannot change it. */
export function readRow(row: WrittenRow): ReadRow {
  const read: ReadRow = {
    seq: BigInt(row.seq),
    writer: row.writer,
    hash: row.hash,
    held: parse(row.held),
    awaited: parse(row.awaited),
    ended: parse(row.ended),
    credentials: parse(row.credentials),
    policies: parse(row.policies),
    accounts: parse(row.accounts),
    changed: parse(row.changed),
  }
  for (const list of [read.held, read.awaited, read.ended, read.credentials, read.policies, read.accounts]) {
    for (const event of list ?? []) Object.freeze(event)
  }
  return Object.freeze(read)
}
