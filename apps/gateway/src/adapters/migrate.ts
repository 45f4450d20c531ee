import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'

const ADVISORY_LOCK = 7_462_001
const directory = join(import.meta.dirname, '../../migrations')

/**
 * Brings a database to the newest schema. Each file of `migrations/` runs once, in order, in a transaction of
 * its own; several gateways may start at once. A file that was changed after it ran is an error: migrations
 * are append-only. The tables of the job queue are its own (schema `graphile_worker`) and come first, since ours may
 * queue work.
 *
 * @param connectionString of the database
 * @returns names of the files that were applied now
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${ADVISORY_LOCK})`)
    await migrateQueue(connectionString)
    await client.query(`create table if not exists schema_migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
    const { rows } = await client.query<{ name: string; digest: string }>(
      'select name, digest from schema_migrations',
    )
    const done = new Map(rows.map(row => [row.name, row.digest]))
    const applied: string[] = []
    for (const { name, sql, digest } of await readMigrations()) {
      const before = done.get(name)
      if (before === digest) continue
      if (before !== undefined)
        throw new Error(`Migration ${name} was changed after it ran on this database.`)
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
      await client.query('commit')
      applied.push(name)
    }
    return applied
  } finally {
    await client.end()
  }
}

async function migrateQueue(connectionString: string): Promise<void> {
  const quiet = new Logger(() => () => undefined)
  await runMigrations({ connectionString, logger: quiet })
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
