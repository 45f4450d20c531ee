import { type Usdc, usdc } from '@farebox/money'
import { LRUCache } from 'lru-cache'
import type { BudgetRows, CredentialBudget, PolicyBudget } from '../../credentials/draw-budgets.ts'
import type { AccountState } from '../../ledger/lock-books.ts'
import { type HoldRequest, type KnownInvocation, keyOf } from '../admission/admit.ts'
import type { InvocationStatus, Quote, Settlement } from '../rules.ts'

/** Size of the cache of formatted times. */
const ISO_TEXTS_MAX = 64

/** An admitted call. */
export type HeldCall = HoldRequest & { readonly quote: Quote; readonly drawnAt: Date }

/** A settlement that leaves a call with pending usage. */
export type AwaitedCall = Extract<Settlement, { readonly status: 'PROCESSING' }>

/** The final outcome of a call. `promotional` is the part of the charge that vouchers paid, in micro-USDC. */
export type EndedCall = Extract<Settlement, { readonly answer: unknown }> & {
  readonly finishedAt: Date
  readonly promotional: Usdc
}

/** The events of a batch in one partition, and the rows after it. */
export type Effects = {
  readonly held: readonly HeldCall[]
  readonly awaited: readonly AwaitedCall[]
  readonly ended: readonly EndedCall[]
  readonly budgets: BudgetRows
  /** By wallet of the consumer. */
  readonly accounts: ReadonlyMap<string, AccountState>
}

/** The columns of a row of the log as JSON text; null if empty. */
export type LogColumns = {
  readonly held: string | null
  readonly awaited: string | null
  readonly ended: string | null
  readonly credentials: string | null
  readonly policies: string | null
  readonly accounts: string | null
}

/** Counters of a credential after a batch. */
type CredentialCounters = {
  readonly callsUsed: bigint
  readonly spent: bigint
  readonly held: bigint
  readonly intervalStart: Date
  readonly rateWindow: Buffer
}

/** Counters of a spending policy after a batch. */
type PolicyCounters = {
  readonly monthStart: Date
  readonly monthDrawn: bigint
  readonly dayStart: Date
  readonly dayDrawn: bigint
}

/** The effect of a row of the log on the state in memory. */
export type Change = {
  readonly held: readonly (KnownInvocation & { readonly owner: string; readonly key: string })[]
  readonly moved: readonly {
    readonly id: string
    readonly owner: string
    readonly status: InvocationStatus
    readonly errorCode: string | null
  }[]
  readonly credentials: ReadonlyMap<string, CredentialCounters & { readonly owner: string }>
  readonly policies: ReadonlyMap<string, PolicyCounters>
  readonly accounts: ReadonlyMap<string, AccountState>
  /** The wallet whose rows another transaction has written; null for the row of a batch. */
  readonly rewritten: string | null
}

/** Returns the change that the effects of a batch make. */
export function changeOf({ held, awaited, ended, budgets, accounts }: Effects): Change {
  return {
    held: held.map(call => ({
      id: call.invocationId,
      owner: call.owner,
      key: keyOf(call),
      requestHash: call.requestHash,
      status: 'PENDING',
      drawnAt: call.drawnAt,
      hold: call.quote.hold,
    })),
    moved: [...awaited, ...ended].map(({ invocationId, owner, status, errorCode }) => ({
      id: invocationId,
      owner,
      status,
      errorCode,
    })),
    credentials: budgets.credentials,
    policies: budgets.policies,
    accounts,
    rewritten: null,
  }
}

/**
 * Serialises effects as the columns of a log row. Amounts are decimal strings because JSON numbers are not exact.
 * Members that every call has are concatenated, which takes half the time of JSON.stringify: ids, wallets and codes
 * need no escaping.
 *
 * @param from.instanceId gateway of the calls
 * @param from.feeBps     current platform fee, in basis points, also applied to usage reported later
 * @param from.now        database time
 */
export function columnsOf(
  effects: Effects,
  from: { instanceId: string; feeBps: number; now: Date },
): LogColumns {
  const { held, awaited, ended, budgets, accounts } = effects
  return {
    held: listOf(held, call => heldEvent(call, from)),
    awaited: listOf(awaited, call => awaitedEvent(call, from.now)),
    ended: listOf(ended, endedEvent),
    credentials: listOf(budgets.credentials.values(), credentialEvent),
    policies: listOf(budgets.policies.values(), policyEvent),
    accounts: listOf(
      accounts,
      ([owner, { posted, reserved, promotional }]) =>
        `{"owner":"${owner}","posted":"${posted}","reserved":"${reserved}","promotional":"${promotional}"}`,
    ),
  }
}

function listOf<Item>(items: Iterable<Item>, write: (item: Item) => string): string | null {
  let text = ''
  for (const item of items) text += `${text === '' ? '[' : ','}${write(item)}`
  return text === '' ? null : `${text}]`
}

/** The same times recur: interval starts and the batch's time. */
const isoTexts = new LRUCache<number, string>({ max: ISO_TEXTS_MAX })

function isoOf(time: Date): string {
  const ms = time.getTime()
  const known = isoTexts.get(ms)
  if (known !== undefined) return known
  const text = time.toISOString()
  isoTexts.set(ms, text)
  return text
}

function credentialEvent(row: CredentialBudget): string {
  const { id, owner, callsUsed, spent, held, intervalStart, rateWindow } = row
  return `{"id":"${id}","owner":"${owner}","calls_used":"${callsUsed}","spent":"${spent}","held":"${held}","interval_start":"${isoOf(intervalStart)}","rate_window":"${rateWindow.toString('base64')}"}`
}

function policyEvent({ owner, monthStart, monthDrawn, dayStart, dayDrawn }: PolicyBudget): string {
  return `{"owner":"${owner}","month_start":"${isoOf(monthStart)}","month_drawn":"${monthDrawn}","day_start":"${isoOf(dayStart)}","day_drawn":"${dayDrawn}"}`
}

function heldEvent(call: HeldCall, { instanceId, feeBps }: { instanceId: string; feeBps: number }): string {
  const { serviceId, provider, hold, metering } = call.quote
  const event = `{"id":"${call.invocationId}","credential":"${call.credentialId}","key":${JSON.stringify(call.idempotencyKey)},"hash":"${call.requestHash.toString('hex')}","owner":"${call.owner}","provider":"${provider}","service":"${serviceId}","hold":"${hold}","at":"${isoOf(call.drawnAt)}","instance":"${instanceId}"`
  if (metering === null) return `${event}}`
  const metered = {
    input_price: String(metering.inputPricePer1M),
    output_price: String(metering.outputPricePer1M),
    cache_read_price: metering.cacheReadPricePer1M?.toString(),
    cache_write_price: metering.cacheWritePricePer1M?.toString(),
    max_input_tokens: metering.maxInputTokens,
    max_output_tokens: metering.maxOutputTokens,
    pre_auth_mode: metering.preAuthMode,
    is_streamed: metering.isStreamed,
    fee_bps: feeBps,
  }
  return `${event},${JSON.stringify(metered).slice(1)}`
}

function awaitedEvent(call: AwaitedCall, now: Date): string {
  const { invocationId: id, owner, latencyMs, attempts, errorCode, reason } = call
  return JSON.stringify({
    id,
    owner,
    at: now,
    latency_ms: latencyMs,
    attempts,
    error_code: errorCode,
    reason,
  })
}

function endedEvent(call: EndedCall): string {
  const { metered, errorCode } = call
  const event = `{"id":"${call.invocationId}","owner":"${call.owner}","provider":"${call.provider}","status":"${call.status}","hold":"${call.hold}","charge":"${call.charge}","fee":"${call.fee}","promotional":"${call.promotional}","at":"${isoOf(call.finishedAt)}","latency_ms":${call.latencyMs},"attempts":${call.attempts},"error_code":${JSON.stringify(errorCode)}`
  if (metered === null && call.from === 'PENDING') return `${event}}`
  const used = {
    is_metered: true,
    input_tokens: metered?.usage.inputTokens,
    output_tokens: metered?.usage.outputTokens,
    cost: metered?.cost.toString(),
    reported_by: metered?.reportedBy,
    cache_read_tokens: metered?.usage.cacheReadTokens,
    cache_write_tokens: metered?.usage.cacheWriteTokens,
    stated_total: metered?.usage.statedTotalTokens,
  }
  return `${event},${JSON.stringify(used).slice(1)}`
}

/** A log row with parsed JSON columns. */
export type LogRow = {
  readonly held: readonly Record<string, string>[] | null
  readonly awaited: readonly Record<string, string | null>[] | null
  readonly ended: readonly Record<string, string | null>[] | null
  readonly credentials: readonly Record<string, string>[] | null
  readonly policies: readonly Record<string, string>[] | null
  readonly accounts: readonly Record<string, string>[] | null
  readonly changed: { readonly owner: string } | null
}

/** Returns the change of a log row. */
export function readChange(row: LogRow): Change {
  const calls = [
    ...(row.awaited ?? []).map(event => ({ ...event, status: 'PROCESSING' })),
    ...(row.ended ?? []),
  ] as readonly Record<string, string | null>[]
  return {
    held: (row.held ?? []).map(event => ({
      id: text(event, 'id'),
      owner: text(event, 'owner'),
      key: keyOf({ credentialId: text(event, 'credential'), idempotencyKey: text(event, 'key') }),
      requestHash: Buffer.from(text(event, 'hash'), 'hex'),
      status: 'PENDING',
      drawnAt: new Date(text(event, 'at')),
      hold: amount(event, 'hold'),
    })),
    moved: calls.map(event => ({
      id: text(event, 'id'),
      owner: text(event, 'owner'),
      status: text(event, 'status') as InvocationStatus,
      errorCode: event.error_code ?? null,
    })),
    credentials: new Map(
      (row.credentials ?? []).map(event => [
        text(event, 'id'),
        {
          owner: text(event, 'owner'),
          callsUsed: amount(event, 'calls_used'),
          spent: amount(event, 'spent'),
          held: amount(event, 'held'),
          intervalStart: new Date(text(event, 'interval_start')),
          rateWindow: Buffer.from(text(event, 'rate_window'), 'base64'),
        },
      ]),
    ),
    policies: new Map(
      (row.policies ?? []).map(event => [
        text(event, 'owner'),
        {
          monthStart: new Date(text(event, 'month_start')),
          monthDrawn: amount(event, 'month_drawn'),
          dayStart: new Date(text(event, 'day_start')),
          dayDrawn: amount(event, 'day_drawn'),
        },
      ]),
    ),
    accounts: new Map(
      (row.accounts ?? []).map(event => [
        text(event, 'owner'),
        {
          posted: amount(event, 'posted'),
          reserved: amount(event, 'reserved'),
          promotional: amount(event, 'promotional'),
        },
      ]),
    ),
    rewritten: row.changed?.owner ?? null,
  }
}

function text(event: Readonly<Record<string, string | null>>, name: string): string {
  const value = event[name]
  if (typeof value !== 'string') throw new Error(`An event of the log has no ${name}.`)
  return value
}

const amount = (event: Readonly<Record<string, string | null>>, name: string): Usdc =>
  usdc(BigInt(text(event, name)))
