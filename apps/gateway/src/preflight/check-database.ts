import sql from 'sql-template-tag'
import { inspectSchema } from '../adapters/prepare-schema.ts'
import type { Config, Needed } from '../config.ts'
import type { Queryable } from '../ports.ts'
import { countOtherSessionKeys } from '../runtime/check-session-key.ts'
import { type Check, failed, ok, warning } from './check.ts'

/** Connections of a gateway beside those of its settings: 3 of batches, 1 of the lease, 6 of the job queue. */
const OTHER_CONNECTIONS = 10

type DatabaseSettings = Needed &
  Pick<Config, 'MIGRATION_DATABASE_URL' | 'DATABASE_CONNECTIONS' | 'PUBLIC_DATABASE_CONNECTIONS'>

/**
 * Returns the checks of a database that a gateway starts without.
 *
 * @param db as the role of the gateways
 */
export function checkDatabase(db: Queryable, config: DatabaseSettings): Check[] {
  return [
    schemaCheck(config),
    {
      name: 'database TLS',
      async judge() {
        const [row] = await db.query<{ ssl: boolean; version: string | null; isLocal: boolean }>(sql`
          select ssl, version, coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as is_local
          from pg_stat_ssl where pid = pg_backend_pid()`)
        if (row?.ssl === true) return ok(row.version ?? 'on')
        if (row?.isLocal === true) return ok('none, on this machine')
        return warning(
          'DATABASE_URL connects to another machine without TLS (DATABASE_TLS=off).',
          'Add sslmode=verify-full unless the network is private.',
        )
      },
    },
    connectionsCheck(db, config),
    {
      name: 'session key',
      async judge() {
        const [row] = await db.query<{ exists: boolean }>(sql`
          select to_regclass('gateway_instances') is not null as exists`)
        const others = row?.exists === true ? await countOtherSessionKeys(db, config.JWT_SECRET) : 0
        if (others === 0) return ok('that of the running gateways, if there are any')
        return warning(
          `JWT_SECRET is not that of ${others} running gateways: each refuses the sessions of the other.`,
          'Give all gateways the same one, or restart all (docs/operations.md, Keys).',
        )
      },
    },
    {
      name: 'database durability',
      async judge() {
        const [row] = await db.query<{ off: string | null; size: string }>(sql`
          select string_agg(name, ', ') filter (where setting = 'off') as off,
            pg_size_pretty(pg_database_size(current_database())) as size
          from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`)
        if (row?.off === null) return ok(`fsync and synchronous_commit are on; the database has ${row.size}`)
        return warning(
          `Off: ${row?.off}. Money can be lost in a crash.`,
          'Switch them on in postgresql.conf.',
        )
      },
    },
    {
      name: 'database extensions',
      async judge() {
        const [row] = await db.query<{ hasTrigrams: boolean; hasIcu: boolean }>(sql`
          select exists (select from pg_available_extensions where name = 'pg_trgm') as has_trigrams,
            exists (select from pg_collation where collprovider = 'i') as has_icu`)
        const lacks = [...(row?.hasTrigrams ? [] : ['pg_trgm']), ...(row?.hasIcu ? [] : ['ICU collations'])]
        if (lacks.length === 0) return ok('pg_trgm, ICU')
        return failed(
          `The server of DATABASE_URL lacks ${lacks.join(' and ')}.`,
          "Install PostgreSQL's contrib package, built with ICU.",
        )
      },
    },
  ]
}

/** Checks that the schema is or will be migrated, and that the role of the gateways has exactly its rights. */
function schemaCheck({ DATABASE_URL, MIGRATION_DATABASE_URL }: DatabaseSettings): Check {
  return {
    name: 'database role and schema',
    async judge() {
      const { role, isOwner, pending, lacks, could } = await inspectSchema(DATABASE_URL)
      const willMigrate = MIGRATION_DATABASE_URL !== undefined || isOwner
      const missing =
        pending === null
          ? 'it sees no schema'
          : pending.length > 0
            ? `${pending.length} migrations are missing`
            : null
      if (missing !== null && !willMigrate)
        return failed(
          `DATABASE_URL: the role ${role} may not migrate, and ${missing}.`,
          'Run npm run migrate.',
        )
      if (lacks > 0 && !willMigrate)
        return failed(
          `DATABASE_URL: the role ${role} lacks rights on ${lacks} objects.`,
          'Run npm run migrate, with RUNTIME_ROLE.',
        )
      if (could.length > 0)
        return warning(
          `DATABASE_URL: the role ${role} can ${could.join('; ')}.`,
          'Use two roles (docs/operations.md, "Database roles").',
        )
      return ok(missing === null ? `role ${role}, migrated` : `role ${role}; the start migrates (${missing})`)
    },
  }
}

function connectionsCheck(db: Queryable, config: DatabaseSettings): Check {
  return {
    name: 'database connections',
    async judge() {
      const [row] = await db.query<{ max: number; inUse: number }>(sql`
        select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
          (select count(datid)::int from pg_stat_activity) as in_use`)
      if (row === undefined) throw new Error('The database returned no row.')
      const needed = config.DATABASE_CONNECTIONS + config.PUBLIC_DATABASE_CONNECTIONS + OTHER_CONNECTIONS
      const found = `${row.max} allowed, ${row.inUse} in use; a gateway takes up to ${needed}`
      if (row.max - row.inUse >= needed) return ok(found)
      return warning(
        `${found}.`,
        'Raise max_connections or lower DATABASE_CONNECTIONS, unless running gateways are about to stop.',
      )
    },
  }
}
