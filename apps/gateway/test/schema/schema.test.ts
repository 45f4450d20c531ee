import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { describeSchema } from './describe-schema.ts'

const COMMITTED = join(import.meta.dirname, '../../schema.sql')
const MIGRATIONS = join(import.meta.dirname, '../../migrations')

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('the committed schema matches the migrations', async () => {
  const text = await describeSchema(client)
  if (process.env.WRITE_SCHEMA !== undefined) await writeFile(COMMITTED, text)
  const committed = await readFile(COMMITTED, 'utf8')
  expect(committed, 'apps/gateway/schema.sql is out of date: run `npm run schema`').toBe(text)
})

test.each([
  ['alter table wallets add column shoe_size integer', 'shoe_size integer'],
  ['alter table accounts add constraint tidy check (posted <> 13)', 'CONSTRAINT tidy CHECK (posted <> 13)'],
  ['create index wallets_by_age on wallets (created_at)', 'CREATE INDEX wallets_by_age ON wallets'],
  ['grant delete on accounts to farebox_gateway', 'GRANT SELECT, INSERT, UPDATE, DELETE ON accounts TO'],
])('the schema description reflects: %s', async (statement, shown) => {
  const before = await describeSchema(client)
  await client.query('begin')
  await client.query(statement)
  const after = await describeSchema(client)
  await client.query('rollback')
  expect(before).not.toContain(shown)
  expect(after).toContain(shown)
})

test.each([
  ['create domain shoe as integer', 'type shoe'],
  ['create materialized view shoes as select 1', 'materialized view shoes'],
  ['create sequence steps', 'sequence steps'],
  ['alter table wallets enable row level security', 'table wallets'],
])('the schema description fails for what it would omit: %s', async (statement, named) => {
  await client.query('begin')
  await client.query(statement)
  const refusal = await describeSchema(client).catch((error: Error) => error.message)
  await client.query('rollback')
  expect(refusal).toBe(`The description of the schema leaves out: ${named}.`)
})

test('numbers each migration differently, so that all databases apply them in one order', async () => {
  const numbers = (await readdir(MIGRATIONS)).map(name => name.slice(0, 4))
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
