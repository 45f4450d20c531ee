import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { timeText } from '../../../runtime/id-times.ts'
import { listUsage } from './list-usage.ts'
import { readTraffic } from './read-traffic.ts'
import { sumSpending } from './sum-spending.ts'

const DAY_MS = 86_400_000

const owner = `0x${'a1'.repeat(20)}`
const other = `0x${'c3'.repeat(20)}`

let db: ClosableDb
beforeAll(async () => {
  db = await openTestDatabase(2)
})
afterAll(async () => {
  await db.close()
})

/** Start of this UTC day, in Unix ms. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
let made = 0

/** Inserts `count` calls of a wallet, at a time or at the start of the UTC day so many days ago. */
async function make(calls: {
  by: string
  count: number
  daysAgo?: number
  at?: string
  service?: string
  credential?: string
  status?: string
  chargedMicros?: number
  latencyMs?: number
}): Promise<void> {
  const { by, count, daysAgo = 0, service = 'svc_1', credential = 'cred_1' } = calls
  const at = calls.at === undefined ? today - daysAgo * DAY_MS : Date.parse(calls.at)
  made += 1
  const text = `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
      status, hold, charged, drawn_at, finished_at, latency_ms)
    select $3 || lpad(i::text, 13, '0'), $5, gen_random_uuid(), '', $1, $7, $4, $6, $8::bigint, $8::bigint,
      to_timestamp($9::float8), now(), $10::int * i
    from generate_series(1, $2::int) i`
  const { status = 'SUCCEEDED', chargedMicros = 10_000, latencyMs = null } = calls
  const head = `inv_${timeText(at)}${String(made).padStart(3, '0')}`
  const values = [by, count, head, service, credential, status, other, chargedMicros, at / 1_000, latencyMs]
  await db.query({ text, values })
}

const dayBefore = (days: number) => new Date(today - days * DAY_MS).toISOString()
const sum = (query: Partial<Parameters<typeof sumSpending>[1]> & { owner: string }) =>
  sumSpending({ db, clock: systemClock }, { days: 30, bucket: 'day', by: 'service', series: 8, ...query })

test('sums spending by day, service and credential, highest first, for the requested days', async () => {
  await make({ by: owner, count: 3 })
  await make({ by: owner, count: 2, service: 'svc_2', credential: 'cred_2', chargedMicros: 50_000 })
  await make({ by: owner, count: 1, service: 'svc_3', status: 'FAILED_FINAL', chargedMicros: 0 })
  await make({ by: owner, count: 4, daysAgo: 1 })
  await make({ by: owner, count: 1, daysAgo: 3, service: 'svc_4', credential: 'cred_3', chargedMicros: 0 })
  await make({ by: owner, count: 5, daysAgo: 7 })
  await make({ by: other, count: 9 })
  const week = await sum({ owner, days: 7 })
  expect(week).toMatchObject({
    total: { calls: 11, failedCalls: 1, spentUsdc: '0.170000' },
    byDay: [
      { calls: 1, spentUsdc: '0.000000' },
      { calls: 4, spentUsdc: '0.040000' },
      { calls: 6, failedCalls: 1, spentUsdc: '0.130000' },
    ],
    byService: [
      { serviceId: 'svc_2', spentUsdc: '0.100000', lastCallAt: dayBefore(0) },
      { serviceId: 'svc_1', spentUsdc: '0.070000', lastCallAt: dayBefore(0) },
      { spentUsdc: '0.000000' },
      { spentUsdc: '0.000000' },
    ],
    byCredential: [
      { credentialId: 'cred_2', spentUsdc: '0.100000', lastCallAt: dayBefore(0) },
      { credentialId: 'cred_1', spentUsdc: '0.070000', lastCallAt: dayBefore(0) },
      { credentialId: 'cred_3', spentUsdc: '0.000000', lastCallAt: dayBefore(3) },
    ],
    countedFrom: null,
  })
  expect(week.byService.slice(2)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ serviceId: 'svc_3', failedCalls: 1, lastCallAt: dayBefore(0) }),
      expect.objectContaining({ serviceId: 'svc_4', failedCalls: 0, lastCallAt: dayBefore(3) }),
    ]),
  )
  expect(await sum({ owner, days: 8 })).toMatchObject({ total: { calls: 16 } })
})

test('reports zero spending for a wallet without calls', async () => {
  const nothing = await sum({ owner: `0x${'d4'.repeat(20)}`, days: 30 })
  expect(nothing.buckets).toHaveLength(30)
  expect(nothing).toMatchObject({
    days: 30,
    total: { calls: 0, failedCalls: 0, spentUsdc: '0.000000', inputTokens: 0, latencyP50Ms: null },
    series: [],
    byDay: [],
    byService: [],
    byCredential: [],
    countedFrom: null,
  })
})

describe('of more than 100,000 calls', () => {
  const busy = `0x${'e5'.repeat(20)}`
  beforeAll(async () => {
    await make({ by: busy, count: 60_000, daysAgo: 2 })
    await make({ by: busy, count: 50_000 })
  }, 60_000)

  test('sums the newest, and reports the time of the oldest of them', async () => {
    const { total, countedFrom } = await sum({ owner: busy, days: 30 })
    expect(total.calls).toBe(100_000)
    expect(Date.parse(countedFrom ?? '')).toBeLessThan(Date.now() - 86_400_000)
    expect(await sum({ owner: busy, days: 1 })).toMatchObject({
      total: { calls: 50_000, spentUsdc: '500.000000' },
      countedFrom: null,
    })
  })

  test('counts those of a past period for their provider, however many came after it', async () => {
    await make({ by: busy, count: 2, at: '2026-02-02T01:30:00Z' })
    const period = { from: new Date('2026-02-02T00:00:00Z'), to: new Date('2026-02-03T00:00:00Z') }
    const { total, countedFrom } = await readTraffic({ db }, { provider: other, bucket: 'hour', ...period })
    expect({ calls: total.calls, countedFrom }).toEqual({ calls: 2, countedFrom: null })
  })
})

describe('buckets', () => {
  const active = `0x${'f6'.repeat(20)}`
  const starts = ({ buckets }: { buckets: { start: string }[] }) => buckets.map(({ start }) => start)
  const counts = ({ buckets }: { buckets: { calls: number }[] }) => buckets.map(({ calls }) => calls)
  beforeAll(async () => {
    await make({ by: active, count: 3, at: '2026-03-02T01:30:00Z', latencyMs: 100 })
    await make({ by: active, count: 1, at: '2026-03-02T03:59:59.999Z', service: 'svc_2' })
    await make({ by: active, count: 2, at: '2026-03-02T04:00:00Z', status: 'FAILED_FINAL', chargedMicros: 0 })
    await make({ by: active, count: 5, at: '2026-03-01T23:59:59Z' })
  })

  test('of hours cover the whole period in UTC, including empty hours and their exact start', async () => {
    const period = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-02T05:00:00Z') }
    const hours = await sum({ owner: active, bucket: 'hour', ...period })
    expect(starts(hours)).toEqual([0, 1, 2, 3, 4].map(hour => `2026-03-02T0${hour}:00:00.000Z`))
    expect(counts(hours)).toEqual([0, 3, 0, 1, 2])
    expect(hours.buckets[1]).toMatchObject({ spentUsdc: '0.030000', latencyP50Ms: 200, latencyP95Ms: 300 })
    expect(hours.total).toMatchObject({ calls: 6, failedCalls: 2, spentUsdc: '0.040000', latencyP50Ms: 200 })
    expect(hours.series).toMatchObject([
      {
        key: 'svc_1',
        calls: 5,
        points: [{ start: starts(hours)[1], calls: 3 }, { start: starts(hours)[4] }],
      },
      { key: 'svc_2', calls: 1, points: [{ start: starts(hours)[3] }] },
    ])
  })

  test('of weeks start on Monday, and a period excludes its end', async () => {
    const period = { from: new Date('2026-02-20T00:00:00Z'), to: new Date('2026-03-02T04:00:00Z') }
    const weeks = await sum({ owner: active, bucket: 'week', ...period })
    expect(starts(weeks)).toEqual(['02-16', '02-23', '03-02'].map(day => `2026-${day}T00:00:00.000Z`))
    expect(counts(weeks)).toEqual([0, 5, 4])
  })

  test('are rejected when too many, and for an empty or too long period', async () => {
    const from = new Date('2026-03-01T00:00:00Z')
    const ask = (to: string, bucket: 'hour' | 'day' = 'day') =>
      sum({ owner: active, from, to: new Date(to), bucket })
    await expect(ask('2026-03-10T00:00:00Z', 'hour')).rejects.toThrow('more than 193 hours')
    await expect(ask('2026-03-01T00:00:00Z')).rejects.toThrow('from must be before to')
    await expect(ask('2026-06-02T00:00:00Z')).rejects.toThrow('at most 92 days')
    await expect(sum({ owner: active, to: from })).rejects.toThrow('to needs from')
  })
})

test('sums the eight most expensive services individually, and the rest together', async () => {
  const varied = `0x${'b7'.repeat(20)}`
  for (let service = 1; service <= 11; service += 1)
    await make({ by: varied, count: 1, service: `svc_${service}`, chargedMicros: service * 1_000 })
  const { series, byService } = await sum({ owner: varied })
  expect(series.map(({ key }) => key)).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4].map(n => `svc_${n}`).concat(null as never),
  )
  expect(series.at(-1)).toMatchObject({ calls: 3, spentUsdc: '0.006000', points: [{ calls: 3 }] })
  const two = await sum({ owner: varied, series: 2 })
  expect(two.series.map(({ key }) => key)).toEqual([...series.slice(0, 2).map(({ key }) => key), null])
  expect(two.series.reduce((calls, one) => calls + one.calls, 0)).toBe(two.total.calls)
  expect(byService).toHaveLength(11)
})

test('sums the tokens of models by family or tool name, and lists the calls of one family', async () => {
  const asker = `0x${'a9'.repeat(20)}`
  await db.query({
    text: `insert into wallets (address, username) values ($1, 'asker')`,
    values: [asker],
  })
  await db.query({
    text: `insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
        price_model, price, method, timeout_ms, request, response, model_family, llm_dialect, input_price, output_price,
        default_max_output_tokens, max_auto_hold, hold_buffer_bps)
      select id, $1, name, name, '', '', '{}', 'llm', 'token_metered', 0, 'POST', 1000, '{}', '{}', family,
        'openai', 1, 1, 10, 1000, 12000
      from (values ('svc_m1', 'one', 'fam'), ('svc_m2', 'two', 'fam'), ('svc_m3', 'three', null)) s (id, name, family)`,
    values: [asker],
  })
  for (const service of ['svc_m1', 'svc_m2', 'svc_m3', 'svc_1']) await make({ by: asker, count: 1, service })
  await db.query({
    text: `insert into metered_calls (invocation_id, input_price, output_price, max_output_tokens, pre_auth_mode,
        is_streamed, input_tokens, output_tokens, cache_read_tokens, cost)
      select id, 1, 1, 10, 'auto', false, 100, 10, 40, 1 from invocations where owner = $1 and service_id like 'svc_m%'`,
    values: [asker],
  })
  const { total, series } = await sum({ owner: asker, by: 'model' })
  expect(total).toMatchObject({ calls: 4, inputTokens: 300, cacheReadTokens: 120, outputTokens: 30 })
  expect(series).toMatchObject([
    { key: 'fam', calls: 2, inputTokens: 200 },
    { key: 'three', calls: 1 },
    { key: null, calls: 1, inputTokens: 0 },
  ])
  const { logs } = await listUsage(
    { db },
    { owner: asker, filter: { model: 'fam' }, cursor: undefined, limit: 20 },
  )
  expect(logs.map(({ serviceId }) => serviceId).toSorted()).toEqual(['svc_m1', 'svc_m2'])
})

test('lists the calls before a time without scanning newer ones', async () => {
  const busy = `0x${'c8'.repeat(20)}`
  await make({ by: busy, count: 2, at: '2026-03-02T01:30:00Z' })
  await make({ by: busy, count: 30_000, at: '2026-03-03T01:30:00Z' })
  const filter = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-03T00:00:00Z') }
  const { logs } = await listUsage({ db }, { owner: busy, filter, cursor: undefined, limit: 20 })
  expect(logs).toHaveLength(2)
})
