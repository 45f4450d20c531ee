import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type ClosableDb, connectPostgres } from '../../../src/adapters/postgres.ts'
import { silent } from '../silent-log.ts'
import { TEMPLATE_DATABASE } from './global-setup.ts'

const CREATE_ATTEMPTS_MAX = 20

/** The database of a test file, cloned from the migrated template. */
export type TestDatabase = {
  /** URL with the role of gateways. */
  readonly url: string
  /** URL with the owner of the schema, a superuser, for acts that gateways may not do. */
  readonly ownerUrl: string
  drop(): Promise<void>
}

/**
 * Creates a database for one test file.
 *
 * @param template the database to clone; `template0` for an empty one
 */
export async function createTestDatabase(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const urlOf = (database: string, role: 'owner' | 'gateway' = 'owner') =>
    inject('postgres')[role].replace('{database}', database)
  // The default strategy, wal_log, takes ten times the processor time.
  await administer(urlOf('postgres'), `create database ${name} template ${template} strategy file_copy`)
  return {
    url: urlOf(name, 'gateway'),
    ownerUrl: urlOf(name),
    drop: () => administer(urlOf('postgres'), `drop database ${name} with (force)`),
  }
}

/** Returns the URL of a database over TCP, for what stands between a gateway and its server. */
export function overTcp(url: string): URL {
  const direct = new URL(url)
  const port = direct.searchParams.get('port')
  if (port === null) return direct
  return Object.assign(direct, { host: `127.0.0.1:${port}`, search: '' })
}

/** Creates a database for one test file and connects to it; `close` drops it. */
export async function openTestDatabase(
  connectionsMax: number,
  role: 'owner' | 'gateway' = 'gateway',
): Promise<ClosableDb> {
  const database = await createTestDatabase()
  const connectionString = role === 'owner' ? database.ownerUrl : database.url
  const db = connectPostgres({ connectionString, connectionsMax, log: silent })
  return {
    ...db,
    async close() {
      await db.close()
      await database.drop()
    },
  }
}

/** Runs a statement, and retries while another file clones the template (55006, object in use). */
async function administer(url: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(statement)
      return
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === '55006'
      if (!isBusy || attempt === CREATE_ATTEMPTS_MAX) throw error
    } finally {
      await client.end()
    }
  }
}
