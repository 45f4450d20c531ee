import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { grantRights } from './runtime-grants.ts'

const ADVISORY_LOCK = 7_462_001
const directory = join(import.meta.dirname, '../../migrations')

/**
 * Brings a database to the newest schema. Each file of `migrations/` runs once, in order, in a transaction of
 * its own; several gateways may start at once. A file that was changed after it ran is an error: migrations
 * are append-only. The tables of the job queue are its own (schema `graphile_worker`) and come first, since ours may
 * queue work.
 *
 * @param connectionString of the database, as the role that owns the schema
 * @param options.runtimeRole is granted what a gateway needs, and nothing else; without it gateways run as the owner
 * @returns names of the files that were applied now
 */
export async function migrate(
  connectionString: string,
  options: { runtimeRole?: string } = {},
): Promise<string[]> {
  const { runtimeRole } = options
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${ADVISORY_LOCK})`)
    await migrateQueue(connectionString)
    await client.query(`create table if not exists schema_migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
    const applied: string[] = []
    const pending = await readPending(client)
    for (const { name, sql, digest } of pending) {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
      // In the transaction of the last: a gateway that finds every migration applied finds its rights granted, too.
      if (runtimeRole !== undefined && name === pending.at(-1)?.name) await grantRights(client, runtimeRole)
      await client.query('commit')
      applied.push(name)
    }
    if (runtimeRole !== undefined && pending.length === 0) {
      await client.query('begin')
      await grantRights(client, runtimeRole)
      await client.query('commit')
    }
    return applied
  } finally {
    await client.end()
  }
}

/**
 * Brings the tables of the job queue to its newest schema; nothing is written when they are there.
 *
 * @throws DatabaseError 42501 when something is to be done that the role of the connection may not
 */
export async function migrateQueue(connectionString: string): Promise<void> {
  const quiet = new Logger(() => () => undefined)
  await runMigrations({ connectionString, logger: quiet })
}

/**
 * Reads which migrations have not run on a database.
 *
 * @throws Error when one was changed after it ran
 */
export async function readPending(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string; digest: string }>(
    'select name, digest from schema_migrations',
  )
  const done = new Map(rows.map(row => [row.name, row.digest]))
  return (await readMigrations()).filter(({ name, digest }) => {
    const before = done.get(name)
    if (before !== undefined && before !== digest)
      throw new Error(`Migration ${name} was changed after it ran on this database.`)
    return before === undefined
  })
}

/** Names of all migrations, in order. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(directory)).filter(name => name.endsWith('.sql')).sort()
}

async function readMigrations() {
  const names = await migrationNames()
  return Promise.all(
    names.map(async name => {
      const sql = await readFile(join(directory, name), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
