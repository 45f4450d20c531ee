import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type ClosableDb, connectPostgres } from '../../../src/adapters/postgres.ts'
import { silent } from '../silent-log.ts'
import { TEMPLATE_DATABASE } from './global-setup.ts'

const CREATE_ATTEMPTS_MAX = 20

/** A database of a test file's own, cloned from the migrated template. */
export type TestDatabase = {
  /** As the role that gateways run as. */
  readonly url: string
  /** As the owner of the schema, a superuser: for what no gateway may do, such as corrupting the books. */
  readonly ownerUrl: string
  drop(): Promise<void>
}

/**
 * Creates a database for one test file.
 *
 * @param template what it is a clone of; `template0` for an empty one
 */
export async function createTestDatabase(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const urlOf = (database: string, role: 'owner' | 'gateway' = 'owner') =>
    inject('postgres')[role].replace('{database}', database)
  // The default strategy writes each page of the template to the log: ten times the processor time of a file copy.
  await administer(urlOf('postgres'), `create database ${name} template ${template} strategy file_copy`)
  return {
    url: urlOf(name, 'gateway'),
    ownerUrl: urlOf(name),
    drop: () => administer(urlOf('postgres'), `drop database ${name} with (force)`),
  }
}

/** Creates a database for one test file and connects to it as gateways do, or as the owner; `close` drops it. */
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

/** Two files may clone at once; PostgreSQL then refuses one of them for a moment (55006, object in use). */
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
