import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mostRowsOf, recordPlans } from '../../../test/kit/database/plans.ts'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import { countCalls, lockCursor, readBalances, readBudgets } from './log-store.ts'

/** Rows of the log, of alert settings, and of the log that are read, in each of 16 partitions. */
const LOG_ROWS = 3_000
const OWNERS = 2_000
const READ_ROWS = 10
const PARTITIONS = 16

let db: Awaited<ReturnType<typeof openTestDatabase>>

beforeAll(async () => {
  db = await openTestDatabase(2, 'owner')
  const owner = sql`'0x' || lpad(to_hex(n % ${OWNERS}::integer), 40, '0')`
  await db.query(
    sql`insert into wallets (address, username) select ${owner}, 'w' || n from generate_series(1, ${OWNERS}::integer) n`,
  )
  await db.query(sql`
    insert into alert_settings (owner, watches_balance, budget_percents, failure_percent, failure_calls_min)
    select address, true, '{80}', 50, 20 from wallets`)
  await db.query(sql`
    insert into ledger_log (partition, seq, writer, hash, accounts, ended, at)
    select p, n, 'gw_1', decode(repeat('00', 32), 'hex'),
      json_build_array(json_build_object('owner', ${owner}, 'posted', '1', 'reserved', '0')),
      json_build_array(json_build_object('owner', ${owner}, 'status', 'SUCCEEDED', 'at', now())), 'infinity'
    from generate_series(0, ${PARTITIONS - 1}::integer) p, generate_series(1, ${LOG_ROWS}::integer) n`)
})
afterAll(() => db.close())

test.each([
  ['outdated', sql`select 1`],
  ['new', sql`analyze`],
])(
  'reads only the rows asked for of a long log, and their owners, by %s statistics',
  async (_, statement) => {
    await db.query(statement)
    const { db: recorded, plans } = recordPlans(db, text => text.includes('ledger_log'), sql`select 1`)
    const ranges = Array.from({ length: PARTITIONS }, (_, partition) => ({
      partition,
      after: BigInt(LOG_ROWS - 2 * READ_ROWS),
      upto: BigInt(LOG_ROWS - READ_ROWS),
    }))
    await recorded.transaction(async tx => {
      await lockCursor(tx)
      await readBudgets(tx, ranges)
      expect(await readBalances(tx, ranges)).toHaveLength(PARTITIONS * READ_ROWS)
      await countCalls(tx, ranges)
    })
    expect(plans.map(mostRowsOf).filter(rows => rows > PARTITIONS * READ_ROWS)).toEqual([])
    expect(plans).toHaveLength(3)
  },
)
