import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { flushTargets, pruneTargets } from './flush-targets.ts'
import { bandOf, percentileOf } from './latency-rules.ts'
import { readTargets } from './read-targets.ts'
import { type Attempt, createTargetTally } from './target-tally.ts'

const provider = `0x${'a1'.repeat(20)}`
const start = Date.parse('2026-03-02T10:59:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let db: ClosableDb
let now = start
const clock = { ...systemClock, now: () => now }
const targets = createTargetTally(clock)

beforeAll(async () => {
  db = await openTestDatabase(2)
})
afterAll(async () => {
  await db.close()
})

const service = { provider, serviceId: 'svc_1' }
const url = (name: string) => `https://${name}.invalid/v1`
const attempt = (name: string, fault: Attempt['fault'], latencyMs = 100): Attempt => ({
  url: url(name),
  fault,
  latencyMs,
})
const read = (from: string, to: string, serviceId?: string) =>
  readTargets(db, { provider, serviceId, from: new Date(from), to: new Date(to) })
const DAY = ['2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z'] as const

test('aggregates attempts by target and hour, and earnings at the last target of a call', async () => {
  targets.record(service, { attempts: [attempt('a', 'provider'), attempt('b', null, 40)], earned: 7n })
  targets.record(service, { attempts: [attempt('b', null, 900)], earned: 5n })
  targets.record(service, { attempts: [attempt('b', null, 900)], earned: 0n })
  await flushTargets({ db, targets })
  for (let call = 0; call < 3; call += 1)
    targets.record(service, { attempts: [attempt('b', null, 40)], earned: 0n })
  await flushTargets({ db, targets })
  now = start + MINUTE_MS
  targets.record(service, { attempts: [attempt('b', 'caller')], earned: 0n })
  targets.record(service, { attempts: [attempt('b', 'other')], earned: 0n })
  targets.record(service, { attempts: [attempt('b', 'open')], earned: 0n })
  targets.record({ ...service, serviceId: 'svc_2' }, { attempts: [attempt('b', null, 3)], earned: 1n })
  targets.record(
    { provider: `0x${'b2'.repeat(20)}`, serviceId: 'svc_3' },
    { attempts: [attempt('c', null)], earned: 1n },
  )
  await flushTargets({ db, targets })
  await flushTargets({ db, targets })

  const [b, ...others] = await read(...DAY)
  expect(b).toMatchObject({ serviceId: 'svc_1', url: url('b'), calls: 9, succeeded: 6 })
  expect(b).toMatchObject({ providerFaults: 0, callerFaults: 1, otherFaults: 1, earnedUsdc: '0.000012' })
  const { p50, p95, p99 } = b?.latencyMs ?? { p50: 0, p95: 0, p99: 0 }
  expect(Math.abs(p50 - 40)).toBeLessThan(4)
  expect(Math.abs(p95 - 900)).toBeLessThan(90)
  expect(p99).toBe(p95)
  expect(others).toMatchObject([
    {
      serviceId: 'svc_1',
      url: url('a'),
      calls: 1,
      providerFaults: 1,
      latencyMs: null,
      earnedUsdc: '0.000000',
    },
    { serviceId: 'svc_2', url: url('b'), calls: 1, succeeded: 1 },
  ])
  expect(await read(...DAY, 'svc_2')).toHaveLength(1)
  expect(await read('2026-03-02T11:00:00Z', '2026-03-02T12:00:00Z', 'svc_1')).toMatchObject([{ calls: 3 }])
})

test('keeps attempt counts that could not be stored until the next flush', async () => {
  const other = { provider, serviceId: 'svc_4' }
  targets.record(other, { attempts: [attempt('d', null, 10)], earned: 2n })
  const broken = { ...db, query: () => Promise.reject(new Error('no database')) }
  await expect(flushTargets({ db: broken, targets })).rejects.toThrow('no database')
  targets.record(other, { attempts: [attempt('d', null, 600)], earned: 2n })
  await flushTargets({ db, targets })
  const [row] = await read(...DAY, 'svc_4')
  expect(row).toMatchObject({ calls: 2, succeeded: 2, earnedUsdc: '0.000004' })
  expect(row?.latencyMs?.p99).toBeGreaterThan(500)
})

test('counts at most 10,000 distinct targets between two flushes', () => {
  const tally = createTargetTally(clock)
  for (let call = 0; call < 10_001; call += 1)
    tally.record(service, { attempts: [attempt(`host-${call}`, null)], earned: 0n })
  tally.record(service, { attempts: [attempt('host-0', null)], earned: 0n })
  const taken = tally.take()
  expect(taken).toHaveLength(10_000)
  expect(taken[0]?.calls).toBe(2)
  expect(tally.take()).toEqual([])
})

test('estimates latency percentiles within 10%, however long the calls take', () => {
  for (let ms = 1; ms < 600_000; ms = Math.ceil(ms * 1.03)) {
    const bands = Array.from({ length: 78 }, (_, band) => Number(band === bandOf(ms)))
    const found = percentileOf(bands, 0.95) ?? 0
    expect(Math.abs(found - ms), `${ms} ms`).toBeLessThanOrEqual(0.5 + ms * 0.091)
  }
  expect(bandOf(86_400_000)).toBe(77)
  expect(percentileOf([0, 0], 0.5)).toBeNull()
})

test('deletes attempt counts older than 30 days, and no others', async () => {
  const rows = () => db.query({ text: 'select from target_calls', values: [] })
  const before = await rows()
  const pruned = { db, clock, metrics: { count: () => undefined } as never }
  now = Date.parse('2026-03-02T10:00:00Z') + 30 * DAY_MS
  await pruneTargets(pruned, AbortSignal.timeout(10_000))
  expect(await rows()).toHaveLength(before.length)
  now = start + 30 * DAY_MS + 2 * 3_600_000
  await pruneTargets(pruned, AbortSignal.timeout(10_000))
  expect(await rows()).toEqual([])
})
