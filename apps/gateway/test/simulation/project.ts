import { minUsdc, type Usdc, usdc } from '@farebox/money'
import { EMPTY_ACCOUNT } from '../../src/domains/ledger/lock-books.ts'
import type { Entry, InvocationRow, StoredRow, Tables } from './tables.ts'
import type { Writes } from './transaction.ts'

type Event = Readonly<Record<string, string | null>>

const text = (event: Event, name: string): string => {
  const value = event[name]
  if (value === undefined || value === null) throw new Error(`An event lacks ${name}.`)
  return value
}
const amount = (event: Event, name: string): Usdc => usdc(BigInt(text(event, name)))

/** Projects the committed, unprojected rows of a partition, like ledger_project of the migrations. */
export function projectPartition(
  tables: Tables,
  number: number,
  {
    writes,
    projected = due => due,
  }: { writes: Writes; projected?: ((due: readonly StoredRow[]) => readonly StoredRow[]) | undefined },
): void {
  const partition = tables.partitions[number]
  if (partition === undefined || partition.projected >= partition.head) return
  const from = partition.projected
  for (const row of projected(partition.rows.slice(from, partition.head))) projectRow(tables, row, writes)
  const to = partition.head
  writes.add(
    () => {
      partition.projected = to
    },
    () => {
      partition.projected = from
    },
  )
  writes.later(() => {
    const before = partition.committedProjected
    writes.add(
      () => {
        partition.committedProjected = to
      },
      () => {
        partition.committedProjected = before
      },
    )
  })
}

/** Projects one log row. */
function projectRow(tables: Tables, { read: row }: StoredRow, writes: Writes): void {
  for (const event of (row.held ?? []) as Event[]) projectHeld(tables, event, writes)
  for (const event of row.awaited ?? []) projectAwaited(tables, event, writes)
  for (const event of row.ended ?? []) projectEnded(tables, event, writes)
  for (const event of row.credentials ?? []) {
    const before = tables.credentials.get(text(event, 'id'))
    if (before === undefined) continue
    writes.set(tables.credentials, before.id, {
      ...before,
      callsUsed: amount(event, 'calls_used'),
      spent: amount(event, 'spent'),
      held: amount(event, 'held'),
      intervalStart: new Date(text(event, 'interval_start')),
      rateWindow: Buffer.from(text(event, 'rate_window'), 'base64'),
    })
  }
  for (const event of row.policies ?? []) {
    const before = tables.policies.get(text(event, 'owner'))
    if (before === undefined) continue
    writes.set(tables.policies, before.owner, {
      ...before,
      monthStart: new Date(text(event, 'month_start')),
      monthDrawn: amount(event, 'month_drawn'),
      dayStart: new Date(text(event, 'day_start')),
      dayDrawn: amount(event, 'day_drawn'),
    })
  }
  for (const event of row.accounts ?? []) {
    writes.set(tables.accounts, `consumer:${text(event, 'owner')}`, {
      posted: amount(event, 'posted'),
      reserved: amount(event, 'reserved'),
      promotional: amount(event, 'promotional'),
    })
  }
}

function projectHeld(tables: Tables, event: Event, writes: Writes): void {
  const row: InvocationRow = {
    id: text(event, 'id'),
    credentialId: text(event, 'credential'),
    idempotencyKey: text(event, 'key'),
    requestHash: Buffer.from(text(event, 'hash'), 'hex'),
    owner: text(event, 'owner'),
    provider: text(event, 'provider'),
    serviceId: text(event, 'service'),
    hold: amount(event, 'hold'),
    drawnAt: new Date(text(event, 'at')),
    status: 'PENDING',
    charged: 0n,
    promotional: 0n,
    fee: 0n,
    latencyMs: null,
    attempts: 0,
    errorCode: null,
  }
  const key = `${row.credentialId} ${row.idempotencyKey}`
  if (tables.invocations.has(row.id) || tables.keys.has(key)) {
    throw new Error(`unique index of invocations: ${row.id}, key ${key} is there already`)
  }
  writes.set(tables.invocations, row.id, row)
  writes.set(tables.keys, key, row.id)
  writes.set(tables.open, row.id, text(event, 'instance'))
  if (event.input_price === undefined) return
  const none = { processingSince: null, reason: null, pendingResult: null, inputTokens: null }
  writes.set(tables.metered, row.id, { event, ...none, outputTokens: null })
}

function projectAwaited(tables: Tables, event: Event, writes: Writes): void {
  const id = text(event, 'id')
  const row = tables.invocations.get(id)
  const metered = tables.metered.get(id)
  if (row === undefined || metered === undefined) throw new Error(`${id} waits for usage and is not held`)
  if (row.status === 'PENDING') {
    writes.set(tables.invocations, id, {
      ...row,
      status: 'PROCESSING',
      latencyMs: event.latency_ms as number | null,
      attempts: Number(event.attempts),
      errorCode: event.error_code ?? null,
    })
  }
  writes.set(tables.metered, id, {
    ...metered,
    processingSince: new Date(text(event, 'at')),
    reason: text(event, 'reason'),
    pendingResult: tables.pending.get(id) ?? null,
  })
  writes.set(tables.pending, id, undefined)
}

function projectEnded(tables: Tables, event: Event, writes: Writes): void {
  const id = text(event, 'id')
  const row = tables.invocations.get(id)
  if (row === undefined) throw new Error(`${id} ended and is not held`)
  const [charge, fee, promotional] = [
    amount(event, 'charge'),
    amount(event, 'fee'),
    amount(event, 'promotional'),
  ]
  writes.set(tables.invocations, id, {
    ...row,
    status: text(event, 'status') as InvocationRow['status'],
    charged: charge,
    fee,
    promotional,
    errorCode: event.error_code ?? null,
  })
  writes.set(tables.open, id, undefined)
  const metered = tables.metered.get(id)
  if (metered !== undefined && event.is_metered) {
    const tokens = (name: string) => (event[name] === undefined ? null : BigInt(text(event, name)))
    const usage = { inputTokens: tokens('input_tokens'), outputTokens: tokens('output_tokens') }
    writes.set(tables.metered, id, { ...metered, ...usage, processingSince: null, pendingResult: null })
  }
  const [owner, provider] = [text(event, 'owner'), text(event, 'provider')]
  for (const [account, moved] of [
    [`consumer:${owner}`, -charge],
    [`provider:${provider}`, charge - fee],
    ['fees', fee],
  ] as const) {
    if (moved !== 0n) enter(tables, { kind: 'capture', reference: id, account, amount: moved }, writes)
  }
  if (event.status !== 'SUCCEEDED') return
  const earned = charge - fee
  earn(tables, `provider:${provider}`, { earned, promotional: minUsdc(promotional, usdc(earned)) }, writes)
  if (fee > 0n) earn(tables, 'fees', { earned: fee, promotional: 0n }, writes)
}

/** Writes an entry; each kind occurs once per reference and account. */
export function enter(tables: Tables, entry: Entry, writes: Writes): void {
  const id = `${entry.kind} ${entry.reference} ${entry.account}`
  if (tables.entries.has(id)) throw new Error(`unique index of entries: ${id} is there already`)
  writes.set(tables.entries, id, entry)
}

/** Adds to an account whose row others may also write before this is rolled back. */
export function earn(
  tables: Tables,
  account: string,
  { earned, promotional }: { earned: bigint; promotional: bigint },
  writes: Writes,
): void {
  const change = (sign: bigint) => () => {
    const before = tables.accounts.get(account) ?? EMPTY_ACCOUNT
    tables.accounts.set(account, {
      ...before,
      posted: usdc(before.posted + sign * earned),
      promotional: usdc(before.promotional + sign * promotional),
    })
  }
  writes.add(change(1n), change(-1n))
}
