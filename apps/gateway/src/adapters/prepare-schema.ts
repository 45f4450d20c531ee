import pg from 'pg'
import { type Config, ConfigError } from '../config.ts'
import type { Log, Queryable } from '../ports.ts'
import { migrate, migrateQueue, migrationNames, readPending, requireServer } from './migrate.ts'
import { type Rights, readRights } from './runtime-grants.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Maximum tables and rights named in a line. */
const NAMED_MAX = 5
/** PostgreSQL's codes for a missing right, and a missing (or hidden) table or schema. */
const OUT_OF_REACH = ['42501', '42P01', '3F000']

type SchemaConfig = Pick<Config, 'MIGRATION_DATABASE_URL' | 'RUNTIME_ROLE'> & {
  readonly DATABASE_URL: string
}

/**
 * Prepares the database for a gateway: migrates it if the gateway runs as the owner of the schema, otherwise checks
 * that this was done. Warns if the gateway's role could change append-only tables.
 *
 * @throws ConfigError if the database is not migrated and the gateway may not do it
 */
export async function prepareSchema(config: SchemaConfig, log: Pick<Log, 'warn'>): Promise<void> {
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = config
  const notice = (line: string) => log.warn({}, line)
  if (MIGRATION_DATABASE_URL !== undefined)
    await migrate(MIGRATION_DATABASE_URL, {
      runtimeRole: config.RUNTIME_ROLE ?? (await roleOf(DATABASE_URL)),
      notice,
      setting: 'MIGRATION_DATABASE_URL',
    })
  await withClient(DATABASE_URL, async client => {
    await requireServer(client, 'DATABASE_URL')
    if (await isOwner(client)) await migrate(DATABASE_URL, { notice })
    else await requireMigrated(client, DATABASE_URL)
    const role = await currentRole(client)
    const rights = await readRights(client, role)
    const could = await dangersOf(client, role, rights)
    if (could.length > 0)
      log.warn(
        { role, could },
        'the database role of this gateway can change append-only tables: use two roles',
      )
  })
}

/** State of a schema, and of the role that gateways use. */
export type SchemaState = {
  readonly role: string
  /** The role may migrate. */
  readonly isOwner: boolean
  /** Migrations that have not run; null if the role sees no schema. */
  readonly pending: readonly string[] | null
  /** Number of objects on which the role lacks rights. */
  readonly lacks: number
  /** Rights of the role that no gateway needs. */
  readonly could: readonly string[]
}

/** Reads the state of a schema. Writes nothing. */
export function inspectSchema(url: string): Promise<SchemaState> {
  return withClient(url, async client => {
    const role = await currentRole(client)
    const rights = await readRights(client, role)
    return {
      role,
      isOwner: await isOwner(client),
      pending: (await orNullOutOfReach(readPending(client)))?.map(({ name }) => name) ?? null,
      lacks: rights.lacks.length,
      could: await dangersOf(client, role, rights),
    }
  })
}

/** Throws unless every migration of this version has run on the database. */
export async function checkSchema(db: Queryable): Promise<void> {
  const missing = await db.query<{ name: string }>({
    text: 'select name from unnest($1::text[]) as n (name) where name not in (select name from schema_migrations)',
    values: [await migrationNames()],
  })
  if (missing.length > 0) throw notMigrated(`missing: ${missing.map(({ name }) => name).join(', ')}`)
}

/** Returns the role of a connection string. */
export const roleOf = (connectionString: string): Promise<string> => withClient(connectionString, currentRole)

async function currentRole(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ role: string }>('select current_user::text as role')
  return rows[0]?.role ?? ''
}

/** Returns true if the role of a connection owns the schema, or may create a missing one. */
async function isOwner(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owns: boolean | null }>(`
    select case when to_regclass('schema_migrations') is null
      then has_schema_privilege(current_schema(), 'CREATE')
      else (select pg_has_role(relowner, 'USAGE') from pg_class where oid = to_regclass('schema_migrations'))
    end as owns`)
  return rows[0]?.owns === true
}

/** Throws unless every migration has run. */
async function requireMigrated(client: pg.Client, url: string): Promise<void> {
  const pending = await orNullOutOfReach(readPending(client))
  if (pending === null) throw notMigrated(`its role sees no schema`)
  if (pending.length > 0) throw notMigrated(`missing: ${pending.map(({ name }) => name).join(', ')}`)
  if ((await orNullOutOfReach(migrateQueue(url).then(() => true))) === null)
    throw notMigrated('the tables of the job queue are missing or old')
}

const notMigrated = (why: string) =>
  new ConfigError(`The database is not ready for this gateway (${why}): run npm run migrate.`)

async function orNullOutOfReach<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && OUT_OF_REACH.includes(String(error.code))) return null
    throw error
  }
}

/** Returns, in words, what a role could do that no gateway does. */
async function dangersOf(client: pg.Client, role: string, { owns, exceeds }: Rights): Promise<string[]> {
  const { rows } = await client.query<{ is_superuser: boolean; makes_roles: boolean }>(
    'select rolsuper as is_superuser, rolcreaterole as makes_roles from pg_roles where rolname = $1',
    [role],
  )
  const dangers: string[] = []
  if (rows[0]?.is_superuser === true) return ['anything: it is a superuser']
  if (rows[0]?.makes_roles === true) dangers.push('create roles')
  if (owns.length > 0) dangers.push(`drop triggers and tables: it owns ${shorten(owns)}`)
  if (exceeds.length > 0) dangers.push(list(exceeds))
  return dangers
}

const list = (rights: Rights['exceeds']) =>
  shorten(rights.map(({ on, privileges }) => `${privileges.join(', ')} on ${on.label}`))

function shorten(items: readonly string[]): string {
  const more = items.length - NAMED_MAX
  return [...items.slice(0, NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  // A lost connection fails its statements.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
