import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/dev/postgres/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../src/dev/postgres/postgres-place.ts'
import { checkEverything } from '../../src/preflight/check-everything.ts'
import { startTestChain, type TestChain } from '../kit/chain/test-chain.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { startTestGateway, testEnvironment } from '../kit/gateway/test-gateway.ts'

const MIGRATE = join(import.meta.dirname, '../../src/bin/migrate.ts')
const NOTHING_DONE = 'Nothing was migrated, credited or signed.'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.stop())

/** Checks that check, start and migration refuse a database by one sentence, and that the database has no table after. */
async function expectRefused(url: string, sentence: string) {
  const database: TestDatabase = { url, ownerUrl: url, drop: async () => undefined }
  const env = { DATABASE_URL: url }
  const environment = { ...testEnvironment({ chain, database }), ...env }
  const finding = (await checkEverything(environment)).find(({ check }) => check === 'database version')
  expect(finding).toMatchObject({ status: 'failed', guardsMoney: true })
  expect(`${finding?.found} ${finding?.advice}`).toBe(`DATABASE_URL ${sentence}`)

  const started = startTestGateway({ chain, database, env: environment })
  await expect(started).rejects.toThrow(`Configuration: DATABASE_URL ${sentence} ${NOTHING_DONE}`)

  const { PATH } = process.env
  for (const setting of ['DATABASE_URL', 'MIGRATION_DATABASE_URL'])
    expect(
      spawnSync(process.execPath, [MIGRATE], { env: { PATH, [setting]: url }, encoding: 'utf8' }),
    ).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Migration failed: Configuration: ${setting} ${sentence}\n`,
    })
  const tables = "select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')"
  expect(await query(url, tables)).toEqual([])
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

test('a read-only database or replica is refused with the same message at start, by farebox check and by a migration', async () => {
  const place = await mkdtemp(join(tmpdir(), 'farebox-replica-'))
  await chmod(place, 0o711)
  const settings = { directory: join(place, 'cluster'), fsync: false }
  let server = await startEmbeddedPostgres(settings)
  try {
    await server.ensureDatabase('farebox')
    const [row] = await query(server.url('farebox'), 'show server_version')
    await query(server.url('farebox'), 'alter database farebox set default_transaction_read_only = on')
    await expectRefused(
      server.url('farebox'),
      `leads to a read-only database (PostgreSQL ${row?.server_version}, default_transaction_read_only). End what made it read-only, such as a full disk.`,
    )
    await server.stop()
    const signal = join(server.directory, 'standby.signal')
    await writeFile(signal, '')
    await giveTo(signal, unprivilegedUser())
    server = await startEmbeddedPostgres(settings)
    await expectRefused(
      server.url('farebox'),
      `leads to a read-only replica (PostgreSQL ${row?.server_version}). Use the address of the primary.`,
    )
  } finally {
    await server.stop()
    await rm(place, { recursive: true })
  }
})

test('a PostgreSQL older than 15 is refused with the same message at start, by farebox check and by a migration', async () => {
  const database = await createTestDatabase('template0')
  try {
    // This database reports the version of an older server to whoever asks.
    await query(
      database.ownerUrl,
      `create schema older;
       create function older.current_setting(name text) returns text language sql as $$
         select case name when 'server_version' then '14.19' when 'server_version_num' then '140019'
           else pg_catalog.current_setting(name) end $$;
       do $$ begin
         execute format('alter database %I set search_path = older, pg_catalog, public', current_database());
       end $$`,
    )
    await expectRefused(database.ownerUrl, 'leads to PostgreSQL 14.19. Use PostgreSQL 15 or newer.')
  } finally {
    await database.drop()
  }
})
