import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../test/database.ts'
import type { ClosableDb } from './adapters/postgres.ts'
import { bigints, texts } from './columns.ts'
import { type WritePart, writeTogether } from './write-part.ts'

let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(1, 'owner')
  await db.query({ text: 'create table fruits (name text primary key, pieces bigint)', values: [] })
  await db.query({ text: 'create table tools (name text primary key)', values: [] })
})
afterAll(async () => {
  await db.close()
})

const fruits = (rows: readonly (readonly [string, bigint])[], decided = rows.length): WritePart => ({
  name: 'fruits',
  writes: `of_fruits as (
    insert into fruits select * from unnest($1::text[], $2::bigint[]) on conflict do nothing returning 1)`,
  checks: [['fruits', 'select count(*) from of_fruits']],
  decided: [decided],
  values: [texts(rows, ([name]) => name), bigints(rows, ([, pieces]) => pieces)],
})
const tools = (names: readonly string[]): WritePart => ({
  name: 'tools',
  writes: 'of_tools as (insert into tools select unnest($1::text[]) on conflict do nothing returning 1)',
  checks: [['tools', 'select count(*) from of_tools']],
  decided: [names.length],
  values: [texts(names, name => name)],
})
const read = async (table: string) =>
  (await db.query<{ name: string }>({ text: `select name from ${table} order by name`, values: [] })).map(
    row => row.name,
  )

test('parts are written by one statement, each with values of its own, and tell the version of their rows', async () => {
  const [written] = await db.query<{ version: string }>(
    writeTogether([fruits([['apple', 1n]]), tools(['hammer', 'saw'])]),
  )
  expect([await read('fruits'), await read('tools')]).toEqual([['apple'], ['hammer', 'saw']])
  const rows = await db.query<{ version: string }>({
    text: 'select xmin::text as version from fruits union all select xmin::text from tools',
    values: [],
  })
  expect(new Set(rows.map(row => row.version))).toEqual(new Set([written?.version]))
})

test('when one part writes other rows than were decided, no part writes anything', async () => {
  const before = [await read('fruits'), await read('tools')]
  const twice = writeTogether([fruits([['pear', 1n]]), tools(['plane', 'hammer'])])
  await expect(db.query(twice)).rejects.toThrow('tools: 1 rows written, 2 decided')
  await expect(db.query(writeTogether([fruits([['plum', 1n]], 2), tools(['plane'])]))).rejects.toThrow(
    'fruits: 1 rows written, 2 decided',
  )
  expect([await read('fruits'), await read('tools')]).toEqual(before)
})

test('the same parts are the same statement, other parts another', () => {
  const both = writeTogether([fruits([['fig', 1n]]), tools(['axe'])])
  const again = writeTogether([fruits([['kiwi', 2n]]), tools([])])
  const alone = writeTogether([tools(['axe'])])
  expect([again.name, again.text]).toEqual([both.name, both.text])
  expect([alone.name, alone.text]).not.toEqual([both.name, both.text])
})
