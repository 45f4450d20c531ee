import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import { type DatabaseServer, faultOfEncoding, faultOfServer, READ_SERVER } from './database-server.ts'
import { grantRights, requireRole } from './runtime-grants.ts'

/** `application_name` of a migration's sessions. */
const APPLICATION = 'farebox-migrate'
const ADVISORY_LOCK = 7_462_001
/**
 * A statement that waits longer for a lock is cancelled: later statements queue behind it, also those of paid calls.
 */
const LOCK_TIMEOUT_MS = 1_000
/** Pause before the next attempt, in which queued calls continue. */
const RETRY_AFTER_MS = 3_000
/** Maximum duration of the attempts of one step. */
const LOCK_WAIT_MS_MAX = 240_000
/** Interval of checks who holds the lock that a step waits for. */
const LOOK_EVERY_MS = 200
/** PostgreSQL's code of a lock timeout. */
const LOCK_NOT_GIVEN = '55P03'
/** PostgreSQL's code of a missing right. */
const NOT_ALLOWED = '42501'
const directory = join(import.meta.dirname, '../../migrations')

/**
 * Migrates a database to the newest schema. Each file of `migrations/` runs once, in order, in its own transaction;
 * several gateways may start at once. A file changed after it ran is an error: migrations are append-only. The job
 * queue's tables (schema `graphile_worker`) come first, since ours may queue jobs.
 *
 * No statement waits for a lock longer than a second; a step that times out is rolled back and retried, for minutes, so
 * that a reader's open transaction delays the migration rather than every call behind it.
 *
 * @param connectionString of the database, as the role that owns the schema
 * @param options.runtimeRole is granted what a gateway needs, and nothing else; without it gateways run as the owner
 * @param options.notice      called with what a step waits for, once per attempt
 * @param options.setting     name of the setting that the connection string is of; default `DATABASE_URL`
 * @param options.lockWaitMsMax maximum duration of the attempts of one step
 * @param options.directory   of the migrations, for tests
 * @returns names of the files applied now
 * @throws ConfigError if the server is too old, a replica or not UTF-8; then nothing has changed
 */
export async function migrate(
  connectionString: string,
  options: {
    runtimeRole?: string
    notice?: (line: string) => void
    setting?: string
    lockWaitMsMax?: number
    directory?: string
  } = {},
): Promise<string[]> {
  const { runtimeRole, setting = 'DATABASE_URL' } = options
  const client = new pg.Client({
    connectionString,
    lock_timeout: LOCK_TIMEOUT_MS,
    application_name: APPLICATION,
  })
  const watch = new pg.Client({ connectionString })
  // A lost connection fails its statements.
  for (const its of [client, watch]) its.on('error', () => undefined)
  const inStep = <T>(what: string, work: () => Promise<T>) =>
    withLocks({ client, watch, what, ...options }, work)
  const grant = async () => {
    if (runtimeRole !== undefined) await grantRights(client, runtimeRole)
  }
  try {
    await Promise.all([client.connect(), watch.connect()])
    await requireServer(client, setting)
    if (runtimeRole !== undefined) await requireRole(client, runtimeRole)
    await inStep('The lock of the migrations', () =>
      client.query(`select pg_advisory_lock(${ADVISORY_LOCK})`),
    )
    await inStep('The job queue', () => migrateQueue(connectionString))
    await client.query(`create table if not exists schema_migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
    const pending = await readPending(client, options.directory)
    for (const { name, sql, digest } of pending) {
      await inStep(`Migration ${name}`, async () => {
        await client.query('begin')
        await client.query(sql)
        await client.query('insert into schema_migrations (name, digest) values ($1, $2)', [name, digest])
        // In the transaction of the last: once all migrations are applied, the rights are granted too.
        if (name === pending.at(-1)?.name) await grant()
        await client.query('commit')
      })
    }
    if (pending.length === 0) {
      await inStep('Granting rights', async () => {
        await client.query('begin')
        await grant()
        await client.query('commit')
      })
    }
    return pending.map(({ name }) => name)
  } catch (error) {
    throw isForbidden(error) ? roleTooWeak(setting, error) : error
  } finally {
    await Promise.all([client.end(), watch.end()])
  }
}

const isForbidden = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === NOT_ALLOWED

const roleTooWeak = (setting: string, { message }: Error) =>
  new ConfigError(
    `Configuration: ${setting} is of a role that may not change the schema (${message}). Use the role that owns it (docs/operations.md, "Database roles").`,
  )

/**
 * Checks that the schema fits the server of a connection.
 *
 * @param setting of the connection string
 * @throws ConfigError in one line: the setting, what was found and what to do
 */
export async function requireServer(client: pg.ClientBase, setting: string): Promise<void> {
  const { rows } = await client.query<DatabaseServer>(READ_SERVER)
  const [server] = rows
  if (server === undefined) throw new Error('The database returned no row.')
  const fault = faultOfServer(setting, server) ?? faultOfEncoding(setting, server)
  if (fault !== null) throw new ConfigError(`Configuration: ${fault.found} ${fault.advice}`)
}

type Step = {
  readonly client: pg.Client
  readonly watch: pg.Client
  readonly what: string
  readonly notice?: (line: string) => void
  readonly lockWaitMsMax?: number
}

/** Runs a step of a migration, with retries after lock timeouts; bounded. */
async function withLocks<T>(step: Step, work: () => Promise<T>): Promise<T> {
  const { client, what, notice, lockWaitMsMax = LOCK_WAIT_MS_MAX } = step
  const until = performance.now() + lockWaitMsMax
  for (;;) {
    const looking = new AbortController()
    // Not worth a migration: it looks by a connection of its own.
    const holders = lookForHolders(step, looking.signal).catch(() => null)
    try {
      return await work()
    } catch (error) {
      if (error instanceof Error && !(await isRolledBack(client)))
        throw new Error(
          `${what} lost its connection to the database (${error.message}). Run it again: what was not committed is undone.`,
          { cause: error },
        )
      if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_GIVEN)) throw error
      looking.abort()
      const why = `${what} waits for a lock that is held by ${(await holders) ?? 'another transaction'}`
      if (performance.now() > until)
        throw new Error(`${why}. End it, then run npm run migrate again.`, { cause: error })
      notice?.(`${why}; trying again.`)
      await delay(RETRY_AFTER_MS)
    } finally {
      looking.abort()
      await holders
    }
  }
}

/** Rolls back; returns false if the connection is lost. */
const isRolledBack = (client: pg.Client): Promise<boolean> =>
  client.query('rollback').then(
    () => true,
    () => false,
  )

/** Polls, until aborted, which sessions block a migration; returns the last ones seen. */
async function lookForHolders({ watch }: Step, signal: AbortSignal): Promise<string | null> {
  let seen: string | null = null
  for (;;) {
    await delay(LOOK_EVERY_MS, null, { signal }).catch(() => undefined)
    if (signal.aborted) return seen
    const { rows } = await watch.query<{ text: string | null }>(
      `select string_agg(distinct format('process %s (%s)', holder.pid, coalesce(nullif(holder.application_name, ''), holder.usename)), ', ') as text
       from pg_stat_activity waiter
       join pg_stat_activity holder on holder.pid = any(pg_blocking_pids(waiter.pid))
       where waiter.application_name = $1 and waiter.datname = current_database() and waiter.pid <> holder.pid`,
      [APPLICATION],
    )
    seen = rows[0]?.text ?? seen
  }
}

/**
 * Migrates the tables of the job queue; writes nothing if they are current.
 *
 * @throws DatabaseError 42501 if something must be done that the role may not do
 */
export async function migrateQueue(connectionString: string): Promise<void> {
  const quiet = new Logger(() => () => undefined)
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    lock_timeout: LOCK_TIMEOUT_MS,
    application_name: APPLICATION,
  })
  // A lost connection fails its running statement.
  pool.on('error', () => undefined)
  pool.on('connect', connected => connected.on('error', () => undefined))
  try {
    await runMigrations({ pgPool: pool, logger: quiet })
  } finally {
    await pool.end()
  }
}

/**
 * Returns the migrations that have not run on a database.
 *
 * @throws Error if one was changed after it ran
 */
export async function readPending(client: pg.ClientBase, from = directory) {
  const { rows } = await client.query<{ name: string; digest: string }>(
    'select name, digest from schema_migrations',
  )
  const done = new Map(rows.map(row => [row.name, row.digest]))
  return (await readMigrations(from)).filter(({ name, digest }) => {
    const before = done.get(name)
    if (before !== undefined && before !== digest)
      throw new Error(`Migration ${name} was changed after it ran on this database.`)
    return before === undefined
  })
}

/** Returns the names of all migrations, in order. */
export async function migrationNames(from = directory): Promise<string[]> {
  return (await readdir(from)).filter(name => name.endsWith('.sql')).sort()
}

async function readMigrations(from: string) {
  const names = await migrationNames(from)
  return Promise.all(
    names.map(async name => {
      const sql = await readFile(join(from, name), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
