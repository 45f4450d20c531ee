import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/adapters/migrate.ts'
import { prepareSchema } from '../../src/adapters/prepare-schema.ts'
import { DELETED_FROM } from '../../src/adapters/runtime-grants.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'

const SOURCES = join(import.meta.dirname, '../../src')
const REFUSED = '42501'

let database: TestDatabase
let owner: pg.Client
let gateway: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl })
  gateway = new pg.Client({ connectionString: database.url })
  await Promise.all([owner.connect(), gateway.connect()])
})
afterAll(async () => {
  await Promise.all([owner.end(), gateway.end()])
  await database.drop()
})

/** Starts the schema's part of a gateway; returns what it warns of. */
async function prepare(settings: { DATABASE_URL: string; MIGRATION_DATABASE_URL?: string }) {
  const warnings: object[] = []
  await prepareSchema(
    { RUNTIME_ROLE: undefined, MIGRATION_DATABASE_URL: undefined, ...settings },
    { warn: fields => warnings.push(fields) },
  )
  return warnings
}

const tables = async () =>
  (
    await owner.query<{ name: string; appendOnly: boolean }>(`
      select format('%I.%I', schemaname, tablename) as name, exists (
        select from pg_trigger t join pg_proc f on f.oid = t.tgfoid
        where t.tgrelid = format('%I.%I', schemaname, tablename)::regclass and f.proname = 'refuse_change'
      ) as "appendOnly"
      from pg_tables where schemaname in ('public', 'graphile_worker') order by 1`)
  ).rows

test('a gateway can neither switch off a trigger nor alter, truncate or drop a table', async () => {
  const names = (await tables()).map(({ name }) => name)
  expect(names).toContain('public.entries')
  for (const name of names) {
    for (const act of [
      `alter table ${name} disable trigger user`,
      `alter table ${name} add column mine text`,
      `truncate ${name}`,
      `drop table ${name} cascade`,
      `create trigger mine before insert on ${name} execute function refuse_change()`,
    ])
      await expect(gateway.query(act), act).rejects.toMatchObject({ code: REFUSED })
  }
  for (const act of [
    'drop trigger entries_are_append_only on entries',
    'create or replace function refuse_change() returns trigger language plpgsql as $$begin return new; end$$',
    'create table mine (name text)',
    "set session_replication_role = 'replica'",
    'set role farebox',
  ])
    await expect(gateway.query(act), act).rejects.toMatchObject({ code: REFUSED })
})

test('a gateway cannot change or delete a row of an append-only table, even without its trigger', async () => {
  const appendOnly = (await tables()).filter(table => table.appendOnly).map(({ name }) => name)
  expect(appendOnly).toEqual(expect.arrayContaining(['public.entries', 'public.admin_audit', 'public.seals']))
  for (const name of appendOnly) {
    await owner.query(`alter table ${name} disable trigger user`)
    const { rows } = await owner.query<{ column: string }>(
      "select attname as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and attidentity = ''",
      [name],
    )
    const column = rows[0]?.column
    await expect(gateway.query(`update ${name} set ${column} = ${column}`)).rejects.toMatchObject({
      code: REFUSED,
    })
    await expect(gateway.query(`delete from ${name}`)).rejects.toMatchObject({ code: REFUSED })
    await owner.query(`alter table ${name} enable trigger user`)
  }
})

test('a gateway may delete from exactly the tables that its statements delete from', async () => {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFileSync(join(SOURCES, name), 'utf8'))
  const functions = await owner.query<{ text: string }>(
    `select prosrc as text from pg_proc where proname like 'ledger\\_%'`,
  )
  const deleted = [...texts, ...functions.rows.map(({ text }) => text)].flatMap(text =>
    [...text.matchAll(/\bdelete from ([a-z0-9_]+)/g)].map(([, table]) => table),
  )
  const sums = /const SUMS = \[([^\]]*)\]/.exec(texts.find(text => text.includes('const SUMS = [')) ?? '')
  const inSteps = [...(sums?.[1] ?? '').matchAll(/'([a-z_]+)'/g)].map(([, table]) => table)
  expect(inSteps.length).toBeGreaterThan(0)
  expect([...DELETED_FROM].sort()).toEqual([...new Set([...deleted, ...inSteps])].sort())
})

/** A database of an owner that is no superuser, and a role for its gateways, as an operator makes them. */
async function makeRoles(name: string) {
  for (const role of [`${name}_owner`, `${name}_runtime`])
    await owner.query(`create role ${role} login password 'secret'`)
  await owner.query(`create database ${name} owner ${name}_owner`)
  const urlOf = (role: string) => {
    const url = new URL(database.ownerUrl)
    Object.assign(url, { username: role, password: 'secret', pathname: `/${name}` })
    return url.href
  }
  return {
    ownerUrl: urlOf(`${name}_owner`),
    url: urlOf(`${name}_runtime`),
    async drop() {
      await owner.query(`drop database ${name} with (force)`)
      await owner.query(`drop role ${name}_owner, ${name}_runtime`)
    },
  }
}

test('npm run migrate, as an owner without superuser rights, prepares the database for the lesser role', async () => {
  const roles = await makeRoles('split_installation')
  try {
    await expect(prepare({ DATABASE_URL: roles.url })).rejects.toThrow('run npm run migrate.')
    const { PATH = '' } = process.env
    const run = (env: object) =>
      spawnSync(process.execPath, [join(SOURCES, 'bin/migrate.ts')], {
        env: { PATH, ...env },
        encoding: 'utf8',
      })
    expect(run({})).toMatchObject({ status: 1, stderr: expect.stringContaining('MIGRATION_DATABASE_URL') })
    const env = { MIGRATION_DATABASE_URL: roles.ownerUrl, DATABASE_URL: roles.url }
    expect(run(env)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('Applied 0001') })
    expect(run(env)).toMatchObject({ status: 0, stdout: expect.stringContaining('was up to date') })
    expect(await prepare({ DATABASE_URL: roles.url })).toEqual([])
  } finally {
    await roles.drop()
  }
})

test('a database with an encoding other than UTF-8 is refused before anything is created', async () => {
  const name = 'latin_installation'
  await owner.query(
    `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
  )
  const url = new URL(database.ownerUrl)
  url.pathname = `/${name}`
  try {
    await expect(prepare({ DATABASE_URL: url.href })).rejects.toThrow('with the encoding LATIN1. Create one')
    await expect(migrate(url.href)).rejects.toThrow('with the encoding LATIN1. Create one')
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'")
    await client.end()
    expect(rows).toEqual([])
  } finally {
    await owner.query(`drop database ${name} with (force)`)
  }
})

test('an installation with one role keeps working, with a warning, and can be split without loss', async () => {
  const roles = await makeRoles('single_installation')
  try {
    expect(await prepare({ DATABASE_URL: roles.ownerUrl })).toMatchObject([
      { could: [expect.stringContaining('drop triggers and tables: it owns admin_audit; ')] },
    ])
    const single = new pg.Client({ connectionString: roles.ownerUrl })
    await single.connect()
    await single.query(`insert into accounts (id) values ('consumer:0x1')`)
    await single.end()
    expect(await prepare({ DATABASE_URL: roles.url, MIGRATION_DATABASE_URL: roles.ownerUrl })).toEqual([])
    const lesser = new pg.Client({ connectionString: roles.url })
    await lesser.connect()
    const found = await lesser.query(`update accounts set posted = posted where id = 'consumer:0x1'`)
    await expect(lesser.query('truncate accounts')).rejects.toMatchObject({ code: REFUSED })
    await lesser.end()
    expect(found.rowCount).toBe(1)
  } finally {
    await roles.drop()
  }
})

test('a gateway that runs as the lesser role starts without a warning', async () => {
  expect(await prepare({ DATABASE_URL: database.url })).toEqual([])
})

test('a gateway that runs as the owner of the schema warns what its role could do', async () => {
  expect(await prepare({ DATABASE_URL: database.ownerUrl })).toEqual([
    { role: 'farebox', could: ['anything: it is a superuser'] },
  ])
  const role = 'farebox_gateway'
  await owner.query(`grant truncate, trigger on entries to ${role}; grant update on seals to ${role}`)
  expect(await prepare({ DATABASE_URL: database.url })).toEqual([
    { role, could: ['TRUNCATE, TRIGGER on entries; UPDATE on seals'] },
  ])
  await owner.query(`alter table forum_votes owner to ${role}`)
  expect(await prepare({ DATABASE_URL: database.url })).toEqual([
    {
      role,
      could: [
        'drop triggers and tables: it owns forum_votes',
        'TRUNCATE, TRIGGER on entries; UPDATE on seals',
      ],
    },
  ])
  await owner.query('alter table forum_votes owner to farebox')
  // A migration takes back what is too much, and grants what lacks.
  await prepare({ DATABASE_URL: database.url, MIGRATION_DATABASE_URL: database.ownerUrl })
  expect(await prepare({ DATABASE_URL: database.url })).toEqual([])
})

test('a gateway that may not migrate exits with one line that names npm run migrate', async () => {
  const start = () => prepare({ DATABASE_URL: database.url })
  const { rows } = await owner.query<{ name: string; digest: string }>(
    'delete from schema_migrations where name = (select max(name) from schema_migrations) returning name, digest',
  )
  const [newest] = rows
  await expect(start()).rejects.toThrow(
    `The database is not ready for this gateway (missing: ${newest?.name}): run npm run migrate.`,
  )
  await owner.query('insert into schema_migrations (name, digest) values ($1, $2)', [
    newest?.name,
    newest?.digest,
  ])
  await owner.query('revoke all on schema_migrations from farebox_gateway')
  await expect(start()).rejects.toThrow('its role sees no schema')
  await owner.query('grant select on schema_migrations to farebox_gateway')
  await owner.query(
    'delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)',
  )
  await expect(start()).rejects.toThrow('the tables of the job queue are missing or old')
  await owner.query(
    'insert into graphile_worker.migrations (id, breaking) select max(id) + 1, false from graphile_worker.migrations',
  )
  expect(await start()).toEqual([])
})
