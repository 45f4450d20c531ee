import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/adapters/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
/** The migration that separates promotional credit. */
const FIRST = '0038'

const [ann, bob, eve, pro, poor] = ['a', 'b', 'e', 'f', 'd'].map(digit => `0x${digit.repeat(40)}`)

let directory: string
let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-openings-'))
  database = await createTestDatabase('template0')
  for (const name of await readdir(MIGRATIONS)) {
    if (name < FIRST) await cp(join(MIGRATIONS, name), join(directory, name))
  }
  await migrate(database.ownerUrl, { directory })
  client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
  await rm(directory, { recursive: true })
})

test('the migration assumes earlier voucher redemptions unspent wherever possible', async () => {
  await client.query(`set session_replication_role = replica;
    insert into vouchers (id, batch_id, code_digest, amount, redemptions_max, redeemed, expires_at, created_by)
    values ('vch_1', 'vcb_1', sha256('code'), 50, 9, 2, now(), '${eve}');
    insert into voucher_redemptions (id, voucher_id, wallet, amount)
    values ('vrd_1', 'vch_1', '${ann}', 50), ('vrd_2', 'vch_1', '${bob}', 50);
    insert into accounts (id, posted, reserved)
    values ('consumer:${ann}', 20, 5), ('consumer:${bob}', 70, 0), ('consumer:${eve}', 30, 0),
           ('provider:${pro}', 900, 100), ('provider:${poor}', 40, 10)`)
  await cp(MIGRATIONS, directory, { recursive: true })
  expect(await migrate(database.ownerUrl, { directory })).toContain('0038-promotional-credit.sql')
  const { rows } = await client.query(`
    select id, promotional::int, (select sum(amount)::int from recorded_promotions where account = id) as recorded
    from accounts where strpos(id, ':') > 0 order by id`)
  expect(rows).toEqual([
    { id: `consumer:${ann}`, promotional: 20, recorded: 20 },
    { id: `consumer:${bob}`, promotional: 50, recorded: 50 },
    { id: `consumer:${eve}`, promotional: 0, recorded: null },
    { id: `provider:${poor}`, promotional: 30, recorded: 30 },
    { id: `provider:${pro}`, promotional: 100, recorded: 100 },
  ])
})
