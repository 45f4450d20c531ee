import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/adapters/migrate.ts'
import { lockRows } from '../kit/database/row-locks.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { until } from '../kit/until.ts'

const NEWEST = '9999-wider-accounts.sql'
/** A statement of a paid call may take three seconds. */
const CALL_MS_MAX = 3_000
/** Tries with pauses between them, on a machine that may be busy. */
const TEST_TIMEOUT_MS = 90_000

let database: TestDatabase
let directory: string
beforeAll(async () => {
  database = await createTestDatabase()
  directory = await mkdtemp(join(tmpdir(), 'farebox-migrations-'))
  await cp(join(import.meta.dirname, '../../migrations'), directory, { recursive: true })
  await writeFile(join(directory, NEWEST), 'alter table accounts add column note text')
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await database.drop()
})

test('a migration that waits for an open reader reports it and lets other calls pass until it has its lock', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const reader = await lockRows(database.url, 'select 1 from accounts', [])
  const lines: string[] = []
  const migrated = migrate(database.ownerUrl, { directory, notice: line => lines.push(line) })
  const durations: number[] = []
  await until('two tries have failed', async () => {
    const from = performance.now()
    await lockRows(database.url, 'select 1 from accounts for update', []).then(row => row.release())
    durations.push(performance.now() - from)
    return lines.length >= 2
  })
  expect(lines[0]).toMatch(
    /^Migration 9999-wider-accounts.sql waits for a lock that is held by process \d+ \(farebox_gateway\); trying again.$/,
  )
  expect(Math.max(...durations)).toBeLessThan(CALL_MS_MAX)
  await reader.release()
  expect(await migrated).toEqual([NEWEST])
})

test('a migration gives up after a bounded wait, names the lock holder, and changes nothing', async () => {
  await writeFile(
    join(directory, '9999-worse.sql'),
    'create table half (name text); alter table entries add column note text',
  )
  const reader = await lockRows(database.url, 'select count(*) from entries', [])
  const failed = migrate(database.ownerUrl, { directory, lockWaitMsMax: 0 })
  await expect(failed).rejects.toThrow(
    /^Migration 9999-worse.sql waits for a lock that is held by process \d+ \(farebox_gateway\)\. End it/,
  )
  await reader.release()
  expect(await migrate(database.ownerUrl, { directory })).toEqual(['9999-worse.sql'])
})

test('a migration gives up after a bounded wait for another that does not end', async () => {
  const other = await lockRows(database.ownerUrl, 'select pg_advisory_lock(7462001)', [])
  await expect(migrate(database.ownerUrl, { directory, lockWaitMsMax: 0 })).rejects.toThrow(
    /^The lock of the migrations waits for a lock that is held by process \d+ \(farebox\)\. End it/,
  )
  await other.release()
})

test('a migration that can open only one of its connections ends it', async () => {
  const only = new URL(database.ownerUrl)
  only.username = 'farebox_only'
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`create role ${only.username} login password '${only.password}' connection limit 1`)
  await expect(migrate(only.href)).rejects.toThrow('too many connections')
  await until('no connection is open', async () => {
    const { rows } = await owner.query('select from pg_stat_activity where usename = $1', [only.username])
    return rows.length === 0
  })
  await owner.query(`drop role ${only.username}`)
  await owner.end()
})

test('a migration that loses its connection ends with one line, and goes on at the next attempt', async () => {
  const name = '9999-z-cut.sql'
  const cut = (which: string) =>
    writeFile(
      join(directory, name),
      `create table cut (name text); select pg_sleep(1), pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename = current_user and ${which}`,
    )
  await cut('pid = pg_backend_pid()')
  await expect(migrate(database.ownerUrl, { directory })).rejects.toThrow(
    `Migration ${name} lost its connection to the database (terminating connection due to administrator command). Run it again: what was not committed is undone.`,
  )
  await cut('pid <> pg_backend_pid()')
  expect(await migrate(database.ownerUrl, { directory })).toEqual([name])
})
