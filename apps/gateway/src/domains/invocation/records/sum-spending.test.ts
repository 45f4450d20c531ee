import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { sumSpending } from './sum-spending.ts'

const owner = `0x${'a1'.repeat(20)}`
const other = `0x${'c3'.repeat(20)}`

let db: ClosableDb
beforeAll(async () => {
  db = await openTestDatabase(2)
})
afterAll(async () => {
  await db.close()
})

/** Inserts `count` calls of a wallet, this many days ago at noon UTC. */
async function make(calls: {
  by: string
  count: number
  daysAgo?: number
  service?: string
  credential?: string
  status?: string
  chargedMicros?: number
}): Promise<void> {
  const { by, count, daysAgo = 0, service = 'svc_1', credential = 'cred_1' } = calls
  const text = `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
      status, hold, charged, drawn_at, finished_at)
    select 'inv_' || left($1, 4) || lpad(((1000 - $3::int) * 1000000 + i)::text, 22, '0') || $4, $5, gen_random_uuid(), '',
      $1, $7, $4, $6, $8::bigint, $8::bigint, date_trunc('day', now(), 'UTC') - make_interval(days => $3::int), now()
    from generate_series(1, $2::int) i`
  const { status = 'SUCCEEDED', chargedMicros = 10_000 } = calls
  await db.query({ text, values: [by, count, daysAgo, service, credential, status, other, chargedMicros] })
}

test('sums spending by day, service and credential, highest first, for the requested days', async () => {
  await make({ by: owner, count: 3 })
  await make({ by: owner, count: 2, service: 'svc_2', credential: 'cred_2', chargedMicros: 50_000 })
  await make({ by: owner, count: 1, service: 'svc_3', status: 'FAILED_FINAL', chargedMicros: 0 })
  await make({ by: owner, count: 4, daysAgo: 1 })
  await make({ by: owner, count: 5, daysAgo: 7 })
  await make({ by: other, count: 9 })
  const week = await sumSpending({ db }, { owner, days: 7 })
  expect(week).toMatchObject({
    total: { calls: 10, failedCalls: 1, spentUsdc: '0.170000' },
    byDay: [
      { calls: 4, spentUsdc: '0.040000' },
      { calls: 6, failedCalls: 1, spentUsdc: '0.130000' },
    ],
    byService: [
      { serviceId: 'svc_2', spentUsdc: '0.100000' },
      { serviceId: 'svc_1', spentUsdc: '0.070000' },
      { serviceId: 'svc_3', spentUsdc: '0.000000', failedCalls: 1 },
    ],
    byCredential: [
      { credentialId: 'cred_2', spentUsdc: '0.100000' },
      { credentialId: 'cred_1', spentUsdc: '0.070000' },
    ],
    countedFrom: null,
  })
  expect(await sumSpending({ db }, { owner, days: 8 })).toMatchObject({ total: { calls: 15 } })
})

test('a wallet without calls has spent nothing', async () => {
  expect(await sumSpending({ db }, { owner: `0x${'d4'.repeat(20)}`, days: 30 })).toEqual({
    days: 30,
    total: { calls: 0, failedCalls: 0, spentUsdc: '0.000000' },
    byDay: [],
    byService: [],
    byCredential: [],
    countedFrom: null,
  })
})

test('sums the newest of very many calls, and reports since when', async () => {
  const busy = `0x${'e5'.repeat(20)}`
  await make({ by: busy, count: 60_000, daysAgo: 2 })
  await make({ by: busy, count: 50_000 })
  const { total, countedFrom } = await sumSpending({ db }, { owner: busy, days: 30 })
  expect(total.calls).toBe(100_000)
  expect(Date.parse(countedFrom ?? '')).toBeLessThan(Date.now() - 86_400_000)
  expect(await sumSpending({ db }, { owner: busy, days: 1 })).toMatchObject({
    total: { calls: 50_000, spentUsdc: '500.000000' },
    countedFrom: null,
  })
}, 60_000)
