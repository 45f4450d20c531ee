import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { awaitOf, captureOf, requestOf } from '../../../../test/kit/ledger/ledger-values.ts'
import type { CredentialBudget, PolicyBudget } from '../../credentials/draw-budgets.ts'
import type { AccountState } from '../../ledger/lock-books.ts'
import {
  type AwaitedCall,
  changeOf,
  columnsOf,
  type Effects,
  type EndedCall,
  type HeldCall,
  type LogColumns,
  type LogRow,
  readChange,
} from './ledger-events.ts'

const FROM = { instanceId: 'gw_1', feeBps: 250, now: new Date('2026-03-18T15:30:00.123Z') }
const INT8_MAX = 2n ** 63n - 1n

/** Money and counters: all that an int8 holds, far beyond what a double does. */
const amount = fc.bigInt({ min: 0n, max: INT8_MAX }).map(usdc)
const time = fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
/**
 * Characters that JSON escapes, and those of several code units. PostgreSQL has no NUL in texts, and no lone
 * surrogates.
 */
const text = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .filter(value => !value.includes('\0'))
  .map(value => `${value}"\\\n é😀`)
const id = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abcdef0123') })
const bytes = (length?: number) =>
  fc.uint8Array({ minLength: length ?? 0, maxLength: length ?? 16 }).map(value => Buffer.from(value))

const account: fc.Arbitrary<AccountState> = fc.record({
  posted: amount,
  reserved: amount,
  promotional: amount,
})
const call = {
  invocationId: id,
  credentialId: id,
  owner: id,
  provider: id,
  serviceId: id,
  hold: amount,
  drawnAt: time,
  from: fc.constantFrom('PENDING' as const, 'PROCESSING' as const),
  charge: amount,
  fee: amount,
  errorCode: fc.option(text),
  latencyMs: fc.option(fc.nat()),
  attempts: fc.nat(9),
  recording: fc.constant(null),
}
const metering = fc.record({
  inputPricePer1M: amount,
  outputPricePer1M: amount,
  cacheReadPricePer1M: fc.option(amount),
  cacheWritePricePer1M: fc.option(amount),
  maxInputTokens: fc.nat(),
  maxOutputTokens: fc.nat(),
  preAuthMode: fc.constantFrom('auto' as const, 'explicit' as const),
  isStreamed: fc.boolean(),
})
const held: fc.Arbitrary<HeldCall> = fc.record({
  invocationId: id,
  credentialId: id,
  owner: id,
  tokenDigest: bytes(32),
  idempotencyKey: text,
  requestHash: bytes(32),
  quote: fc.record({ serviceId: id, provider: id, hold: amount, metering: fc.option(metering) }),
  service: fc.constant(null),
  counted: fc.constant(null),
  drawnAt: time,
})
const awaited: fc.Arbitrary<AwaitedCall> = fc.record({
  ...call,
  status: fc.constant('PROCESSING' as const),
  reason: text,
  pendingResult: fc.option(text),
})
const ended: fc.Arbitrary<EndedCall> = fc.record({
  ...call,
  status: fc.constantFrom('SUCCEEDED' as const, 'FAILED_RETRYABLE' as const, 'FAILED_FINAL' as const),
  answer: fc.constant({ httpStatus: 200, body: '{}' }),
  metered: fc.option(
    fc.record({
      usage: fc.record({
        inputTokens: fc.nat(),
        outputTokens: fc.nat(),
        totalTokens: fc.nat(),
        cacheReadTokens: fc.nat(),
        cacheWriteTokens: fc.nat(),
      }),
      cost: amount,
      isCapped: fc.boolean(),
      reportedBy: fc.option(id),
    }),
  ),
  finishedAt: time,
  promotional: amount,
})
const credential: fc.Arbitrary<CredentialBudget> = fc.record({
  id,
  owner: id,
  status: fc.constantFrom('active' as const, 'revoked' as const),
  expiresAt: fc.option(time),
  maxCalls: fc.option(amount),
  creditLimit: fc.option(amount),
  maxCostPerCall: fc.option(amount),
  rpm: fc.nat(),
  resetInterval: fc.constant('daily' as const),
  callsUsed: amount,
  spent: amount,
  held: amount,
  intervalStart: time,
  rateWindow: bytes(),
  tokenHash: bytes(32),
  previousTokenHash: fc.constant(null),
  previousExpiresAt: fc.constant(null),
  allowedServices: fc.constant(null),
})
const policy: fc.Arbitrary<PolicyBudget> = fc.record({
  owner: id,
  isSuspended: fc.boolean(),
  monthlyLimit: fc.option(amount),
  dailyLimit: fc.option(amount),
  perCallLimit: fc.option(amount),
  monthStart: time,
  monthDrawn: amount,
  dayStart: time,
  dayDrawn: amount,
})
const some = <Item>(of: fc.Arbitrary<Item>) => fc.array(of, { maxLength: 4 })
const effects: fc.Arbitrary<Effects> = fc
  .record({
    held: some(held),
    awaited: some(awaited),
    ended: some(ended),
    credentials: some(credential),
    policies: some(policy),
    accounts: some(fc.tuple(id, account)),
  })
  .map(({ credentials, policies, accounts, ...calls }) => ({
    ...calls,
    budgets: {
      credentials: new Map(credentials.map(row => [row.id, row])),
      policies: new Map(policies.map(row => [row.owner, row])),
    },
    accounts: new Map(accounts),
  }))

const NONE: Effects = {
  held: [],
  awaited: [],
  ended: [],
  budgets: { credentials: new Map(), policies: new Map() },
  accounts: new Map(),
}

/** The row as another gateway reads it. */
function readBack(columns: LogColumns): LogRow {
  const read = (column: string | null) => (column === null ? null : JSON.parse(column))
  return {
    held: read(columns.held),
    awaited: read(columns.awaited),
    ended: read(columns.ended),
    credentials: read(columns.credentials),
    policies: read(columns.policies),
    accounts: read(columns.accounts),
    changed: null,
  }
}

/** The part of a change that is in the log: of a row of budgets only its counters. */
function countersOf({ credentials, policies, ...change }: ReturnType<typeof changeOf>) {
  return {
    ...change,
    credentials: new Map(
      [...credentials].map(([key, { owner, callsUsed, spent, held: holds, intervalStart, rateWindow }]) => [
        key,
        { owner, callsUsed, spent, held: holds, intervalStart, rateWindow },
      ]),
    ),
    policies: new Map(
      [...policies].map(([key, { monthStart, monthDrawn, dayStart, dayDrawn }]) => [
        key,
        { monthStart, monthDrawn, dayStart, dayDrawn },
      ]),
    ),
  }
}

describe('a log row', () => {
  test('reads back as exactly the change that its writer applied, for any amounts, keys and times', () => {
    fc.assert(
      fc.property(effects, batch => {
        expect(readChange(readBack(columnsOf(batch, FROM)))).toEqual(countersOf(changeOf(batch)))
      }),
    )
  })

  test('encodes all amounts as decimal text', () => {
    fc.assert(
      fc.property(effects, batch => {
        const { accounts, held: holds, ended: ends } = readBack(columnsOf(batch, FROM))
        const written = [
          ...(accounts ?? []).flatMap(({ posted, reserved, promotional }) => [posted, reserved, promotional]),
          ...(holds ?? []).map(event => event.hold),
          ...(ends ?? []).flatMap(event => [event.hold, event.charge, event.fee, event.promotional]),
        ]
        for (const value of written) expect(value).toMatch(/^\d+$/)
      }),
    )
  })

  test('has null in the columns that a batch does not change', () => {
    expect(columnsOf(NONE, FROM)).toEqual({
      held: null,
      awaited: null,
      ended: null,
      credentials: null,
      policies: null,
      accounts: null,
    })
  })

  test('has the prices and admission fee of a metered call, and the gateway that runs it', () => {
    fc.assert(
      fc.property(held, metering, (request, prices) => {
        const metered = { ...request, quote: { ...request.quote, metering: prices } }
        const [event] = readBack(columnsOf({ ...NONE, held: [metered] }, FROM)).held ?? []
        expect(event).toMatchObject({
          instance: 'gw_1',
          fee_bps: 250,
          input_price: prices.inputPricePer1M.toString(),
          output_price: prices.outputPricePer1M.toString(),
          max_input_tokens: prices.maxInputTokens,
          max_output_tokens: prices.maxOutputTokens,
          is_streamed: prices.isStreamed,
        })
        const fixed = { ...request, quote: { ...request.quote, metering: null } }
        const [other] = readBack(columnsOf({ ...NONE, held: [fixed] }, FROM)).held ?? []
        expect(other).not.toHaveProperty('input_price')
      }),
    )
  })

  test('marks an ended call as metered if it has usage or awaited it', () => {
    fc.assert(
      fc.property(ended, ending => {
        const isMetered = ending.metered !== null || ending.from === 'PROCESSING'
        const [event] = readBack(columnsOf({ ...NONE, ended: [ending] }, FROM)).ended ?? []
        expect('is_metered' in (event ?? {})).toBe(isMetered)
      }),
    )
  })

  test('has exactly the fields that the projection reads', () => {
    const of = (column: keyof LogRow, parts: Partial<Effects>) =>
      JSON.parse(String(columnsOf({ ...NONE, ...parts }, FROM)[column as keyof LogColumns]))
    const at = '2026-03-18T15:30:00.123Z'
    const prices = {
      inputPricePer1M: usdc(11n),
      outputPricePer1M: usdc(12n),
      cacheReadPricePer1M: usdc(13n),
      cacheWritePricePer1M: usdc(14n),
      maxInputTokens: 15,
      maxOutputTokens: 16,
      preAuthMode: 'explicit',
      isStreamed: true,
    } as const
    const request = {
      ...requestOf('0xa', 'inv_1', { idempotencyKey: 'my "key"' }),
      drawnAt: FROM.now,
      quote: { serviceId: 'svc_1', provider: '0xb', hold: usdc(10n), metering: null },
    }
    const common = {
      id: 'inv_1',
      credential: 'cred_1',
      key: 'my "key"',
      hash: Buffer.from('inv_1').toString('hex'),
      owner: '0xa',
      provider: '0xb',
      service: 'svc_1',
      hold: '10',
      at,
      instance: 'gw_1',
    }
    const metered = { ...request, quote: { ...request.quote, metering: prices } }
    const uncached = { ...prices, cacheReadPricePer1M: null, cacheWritePricePer1M: null }
    const other = { ...request, quote: { ...request.quote, metering: uncached } }
    const priced = {
      input_price: '11',
      output_price: '12',
      max_input_tokens: 15,
      max_output_tokens: 16,
      pre_auth_mode: 'explicit',
      is_streamed: true,
      fee_bps: 250,
    }
    expect(of('held', { held: [request, metered, other] })).toEqual([
      common,
      { ...common, ...priced, cache_read_price: '13', cache_write_price: '14' },
      { ...common, ...priced },
    ])
    const waiting = awaitOf('0xa', 'inv_1', { latencyMs: null, attempts: 2 })
    expect(of('awaited', { awaited: [waiting] })).toEqual([
      {
        id: 'inv_1',
        owner: '0xa',
        at,
        latency_ms: null,
        attempts: 2,
        error_code: 'USAGE_MISSING',
        reason: 'usage_missing',
      },
    ])
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 5 }
    const ending = { ...captureOf('0xa', 'inv_1'), finishedAt: FROM.now, promotional: usdc(3n) }
    const used = {
      usage: { ...usage, statedTotalTokens: 6 },
      cost: usdc(9n),
      isCapped: true,
      reportedBy: 'sec_1',
    }
    const over = {
      id: 'inv_1',
      owner: '0xa',
      provider: '0xbeef',
      status: 'SUCCEEDED',
      hold: '10',
      charge: '8',
      fee: '1',
      promotional: '3',
      at,
      latency_ms: 5,
      attempts: 1,
      error_code: null,
    }
    const ends = [ending, { ...ending, metered: used }, { ...ending, from: 'PROCESSING' as const }]
    expect(of('ended', { ended: ends })).toEqual([
      over,
      {
        ...over,
        is_metered: true,
        input_tokens: 1,
        output_tokens: 2,
        cost: '9',
        reported_by: 'sec_1',
        cache_read_tokens: 4,
        cache_write_tokens: 5,
        stated_total: 6,
      },
      { ...over, is_metered: true },
    ])
  })

  test('that another transaction wrote names the owner whose rows it changed', () => {
    const row = { ...readBack(columnsOf(NONE, FROM)), changed: { owner: '0xa' } }
    expect(readChange(row)).toEqual({ ...changeOf(NONE), rewritten: '0xa' })
  })

  test('that lacks a required field throws instead of reading as no change', () => {
    const row = {
      ...readBack(columnsOf(NONE, FROM)),
      accounts: [{ owner: '0xa', posted: '1', reserved: '0' }],
    }
    expect(() => readChange(row)).toThrow('An event of the log has no promotional.')
  })
})
