import { GatewayError } from '@farebox/wire/errors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { flushRefusals, pruneRefusals } from './flush-refusals.ts'
import { createRefusalTally } from './refusal-tally.ts'
import { sumSpending } from './sum-spending.ts'

const owner = `0x${'a1'.repeat(20)}`
const other = `0x${'b2'.repeat(20)}`
const start = Date.parse('2026-03-02T10:59:00Z')
const MINUTE_MS = 60_000

let db: ClosableDb
let now = start
const clock = { ...systemClock, now: () => now }
const refusals = createRefusalTally(clock)

beforeAll(async () => {
  db = await openTestDatabase(2)
})
afterAll(async () => {
  await db.close()
})

const credit = () => new GatewayError('BUDGET_EXHAUSTED', { limit: 'credential_credit' })
const agent = (credentialId: string, wallet = owner) => ({ owner: wallet, credentialId })
const sum = (from: string, to: string) =>
  sumSpending(
    { db, clock },
    { owner, from: new Date(from), to: new Date(to), days: 30, bucket: 'hour', by: 'service', series: 8 },
  )

test('aggregates refused calls by credential, code, limit and hour', async () => {
  for (let call = 0; call < 3; call += 1) refusals.record(agent('cred_1'), credit())
  refusals.record(agent('cred_2'), new GatewayError('SERVICE_NOT_ALLOWED', { serviceId: 'svc_1' }))
  refusals.record(agent('cred_9', other), credit())
  await flushRefusals({ db, refusals })
  refusals.record(agent('cred_1'), credit())
  now = start + MINUTE_MS
  refusals.record(agent('cred_1'), credit())
  await flushRefusals({ db, refusals })
  await flushRefusals({ db, refusals })

  const { buckets, total, refusals: reasons } = await sum('2026-03-02T10:00:00Z', '2026-03-02T12:00:00Z')
  expect(total).toMatchObject({ calls: 0, refusedCalls: 6 })
  expect(buckets.map(({ refusedCalls }) => refusedCalls)).toEqual([5, 1])
  expect(reasons).toEqual([
    {
      credentialId: 'cred_1',
      code: 'BUDGET_EXHAUSTED',
      limit: 'credential_credit',
      calls: 5,
      lastAt: '2026-03-02T11:00:00.000Z',
    },
    {
      credentialId: 'cred_2',
      code: 'SERVICE_NOT_ALLOWED',
      limit: null,
      calls: 1,
      lastAt: '2026-03-02T10:59:00.000Z',
    },
  ])
  expect((await sum('2026-03-02T11:00:00Z', '2026-03-02T12:00:00Z')).total.refusedCalls).toBe(1)
})

test('keeps refusal counts that could not be stored until the next flush', async () => {
  refusals.record(agent('cred_3'), credit())
  const broken = {
    ...db,
    query: () => Promise.reject(new Error('no database')),
  }
  await expect(flushRefusals({ db: broken, refusals })).rejects.toThrow('no database')
  refusals.record(agent('cred_3'), credit())
  await flushRefusals({ db, refusals })
  const { refusals: reasons } = await sum('2026-03-02T10:00:00Z', '2026-03-02T12:00:00Z')
  expect(reasons.find(({ credentialId }) => credentialId === 'cred_3')?.calls).toBe(2)
})

test('counts at most 10,000 distinct refusals between two flushes', () => {
  const tally = createRefusalTally(clock)
  for (let call = 0; call < 10_001; call += 1) tally.record(agent(`cred_${call}`), credit())
  tally.record(agent('cred_0'), credit())
  const taken = tally.take()
  expect(taken).toHaveLength(10_000)
  expect(taken[0]?.count).toBe(2)
  expect(tally.take()).toEqual([])
})

test('deletes refusal counts older than half a year, and no others', async () => {
  now = start + 183 * 86_400_000
  refusals.record(agent('cred_4'), credit())
  await flushRefusals({ db, refusals })
  const rows = () =>
    db.query<{ count: bigint }>({ text: 'select count(*) as count from call_refusals', values: [] })
  const pruned = { db, clock, metrics: { count: () => undefined } as never }
  const [before] = await rows()
  await pruneRefusals(pruned, AbortSignal.timeout(10_000))
  expect(await rows()).toEqual([before])
  now += 2 * 86_400_000
  await pruneRefusals(pruned, AbortSignal.timeout(10_000))
  expect(await rows()).toEqual([{ count: 1n }])
})
