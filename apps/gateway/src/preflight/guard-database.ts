import sql from 'sql-template-tag'
import {
  type DatabaseServer,
  faultOfEncoding,
  faultOfServer,
  READ_SERVER,
} from '../adapters/database-server.ts'
import { createSecretBox } from '../adapters/secret-box.ts'
import type { Needed } from '../config.ts'
import { findOtherVault, readBinding } from '../domains/deposits/bind-vault.ts'
import type { ChainFacts, Queryable } from '../ports.ts'
import { isKeyOfDatabase } from '../runtime/check-encryption-key.ts'
import { type Check, failed, ok } from './check.ts'

type Databases = { readonly db: Queryable; readonly ownerDb: Queryable }

/**
 * Returns the checks of a database that guard money. The owner of the schema reads it: the role of the gateways may get
 * its rights by the migration only.
 *
 * @param facts chain, vault and token in use; null if they are unknown
 */
export function guardDatabase(
  { db, ownerDb }: Databases,
  facts: ChainFacts | null,
  config: Pick<Needed, 'ENCRYPTION_KEY'>,
): Check[] {
  const server: Check = {
    name: 'database version',
    guardsMoney: true,
    async judge() {
      const [its, owners] = await Promise.all([readServer(db), readServer(ownerDb)])
      const fault = faultOfServer('DATABASE_URL', its) ?? faultOfServer('MIGRATION_DATABASE_URL', owners)
      return fault === null ? ok(`PostgreSQL ${its.version}, primary`) : failed(fault.found, fault.advice)
    },
  }
  const encoding: Check = {
    name: 'database encoding',
    guardsMoney: true,
    async judge() {
      const its = await readServer(db)
      const fault = faultOfEncoding('DATABASE_URL', its)
      return fault === null ? ok(its.encoding) : failed(fault.found, fault.advice)
    },
  }
  const encryptionKey: Check = {
    name: 'encryption key',
    guardsMoney: true,
    async judge() {
      const fits = (await hasTable(ownerDb, 'key_checks'))
        ? await isKeyOfDatabase(ownerDb, createSecretBox(config.ENCRYPTION_KEY))
        : null
      if (fits === null) return ok('no secret is stored yet')
      if (fits) return ok('opens the secrets of this database')
      return failed(
        'ENCRYPTION_KEY is not the key that the secrets of this database are sealed with.',
        'Use that key (docs/operations.md, Keys).',
      )
    },
  }
  return [
    server,
    encoding,
    ...(db === ownerDb ? [] : [oneDatabaseCheck(db, ownerDb)]),
    encryptionKey,
    ...(facts === null ? [] : [bindingCheck(ownerDb, facts)]),
  ]
}

function oneDatabaseCheck(db: Queryable, ownerDb: Queryable): Check {
  return {
    name: 'database of the migrations',
    guardsMoney: true,
    async judge() {
      const [one, other] = await Promise.all([readIdentity(db), readIdentity(ownerDb)])
      if (one === other) return ok('the same')
      return failed(
        'MIGRATION_DATABASE_URL and DATABASE_URL lead to different databases.',
        'Give both the same server and database.',
      )
    },
  }
}

async function readIdentity(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ identity: string }>(sql`
    select system_identifier || '/' || current_database() as identity from pg_control_system()`)
  return row?.identity
}

function bindingCheck(db: Queryable, facts: ChainFacts): Check {
  return {
    name: 'vault of the database',
    guardsMoney: true,
    async judge() {
      const bound = (await hasTable(db, 'vault_binding')) ? await readBinding(db) : null
      const other = bound && (await findOtherVault(db, facts))
      if (other !== null)
        return failed(
          other,
          'Correct the setting, or move the database (docs/operations.md, "Another chain or vault").',
        )
      return ok(bound ? `${facts.vault} on chain ${facts.chainId}` : 'none yet: the first start stores it')
    },
  }
}

async function readServer(db: Queryable): Promise<DatabaseServer> {
  const [row] = await db.query<DatabaseServer>({ text: READ_SERVER, values: [] })
  if (row === undefined) throw new Error('The database returned no row.')
  return row
}

/** Returns true if the schema has a table: a database that was never migrated has none. */
async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>(sql`select to_regclass(${name}) is not null as exists`)
  return row?.exists === true
}
