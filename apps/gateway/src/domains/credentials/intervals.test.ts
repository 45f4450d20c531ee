import { intervalStart } from '@farebox/wire/intervals'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../adapters/postgres.ts'

const units = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const

describe('PostgreSQL', () => {
  let db: ClosableDb
  beforeAll(async () => {
    db = await openTestDatabase(1)
  })
  afterAll(async () => {
    await db.close()
  })

  test('truncates UTC dates to the same interval starts as the gateway', async () => {
    const samples = Array.from({ length: 2_000 }, (_, index) => new Date(index * 3_456_789_013 + 1_234_567))
    for (const [interval, unit] of Object.entries(units)) {
      const rows = await db.query<{ start: Date }>(sql`
        select date_trunc(${unit}, at, 'UTC') as start
        from unnest(${samples}::timestamptz[]) with ordinality as n (at, place) order by place`)
      const ours = samples.map(at => intervalStart(interval as keyof typeof units, at))
      expect(rows.map(row => row.start)).toEqual(ours)
    }
  })
})
