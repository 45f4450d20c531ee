import sql from 'sql-template-tag'
import { connectPostgres } from '../adapters/postgres.ts'
import { codeOf } from '../adapters/postgres-errors.ts'
import { type Config, ConfigError, type Needed } from '../config.ts'
import type { Chain, Log, Queryable } from '../ports.ts'
import { describeFailure, failed, type Judgement, runChecks } from './check.ts'
import { guardDatabase } from './guard-database.ts'
import { guardVault } from './guard-vault.ts'

/** Connections for checks: as the role of the gateways, and as the owner of the schema if that is another. */
export type CheckedDatabases = { readonly db: Queryable; readonly ownerDb: Queryable; close(): Promise<void> }

/**
 * Checks what guards money, before a gateway migrates, credits or signs. Development mode owns its database and chain:
 * nothing is checked there.
 *
 * @throws ConfigError in one line: each setting, what was found and what to do; then nothing has changed
 */
export async function requireSafeMoney(
  config: Config & Needed,
  { chain, log }: { chain: Chain; log: Log },
): Promise<void> {
  if (config.FAREBOX_MODE === 'dev') return
  const databases = openForChecks(config, log)
  try {
    const away = await findUnreachable(databases)
    if (away !== null) throw new ConfigError(`Configuration: ${away.found} ${away.advice}`)
    const checks = [...guardDatabase(databases, chain.facts, config), ...guardVault(chain, config)]
    const findings = await runChecks(checks)
    const faults = findings.filter(({ status }) => status === 'failed')
    if (faults.length === 0) return
    const lines = faults.map(({ found, advice = '' }) => `${found} ${advice}`.trim())
    throw new ConfigError(`Configuration: ${lines.join(' ')} Nothing was migrated, credited or signed.`)
  } finally {
    await databases.close()
  }
}

/** Returns what is wrong if a database does not answer, which every other check of it needs. */
export async function findUnreachable({ db, ownerDb }: CheckedDatabases): Promise<Judgement | null> {
  for (const [setting, its] of Object.entries({ DATABASE_URL: db, MIGRATION_DATABASE_URL: ownerDb })) {
    try {
      await its.query(sql`select 1`)
    } catch (error) {
      const found = `${setting}: the database does not answer (${describeFailure(error)}).`
      return failed(found, adviceOn(error, setting))
    }
  }
  return null
}

const UNKNOWN_AUTHORITY = /^(?:UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED)/

/** Returns what to do about a connection to a database that was refused. */
function adviceOn(error: unknown, setting: string): string {
  const code = codeOf(error)
  if (UNKNOWN_AUTHORITY.test(code))
    return `Set sslrootcert in ${setting} to the file of the authority that signed the server's certificate.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Use a host name in ${setting} that the server's certificate names.`
  if (code === 'CERT_HAS_EXPIRED') return "Replace the server's certificate."
  if (/does not support SSL/.test(describeFailure(error))) return 'Set ssl = on in its postgresql.conf.'
  return 'Check host, port, database, user, password and TLS.'
}

/** Opens the connections for checks. */
export function openForChecks(config: Config & Needed, log: Log): CheckedDatabases {
  const open = (connectionString: string) =>
    connectPostgres({ connectionString, connectionsMax: 1, name: 'farebox-check', log })
  const db = open(config.DATABASE_URL)
  if (config.MIGRATION_DATABASE_URL === undefined) return { db, ownerDb: db, close: () => db.close() }
  const ownerDb = open(config.MIGRATION_DATABASE_URL)
  return {
    db,
    ownerDb,
    close: async () => {
      await Promise.all([db.close(), ownerDb.close()])
    },
  }
}
