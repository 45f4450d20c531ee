import { migrate } from '../adapters/migrate.ts'
import { roleOf } from '../adapters/prepare-schema.ts'
import { ConfigError, readSome } from '../config.ts'

/**
 * Migrates the schema as its owner, and grants the runtime role its rights.
 *
 * `MIGRATION_DATABASE_URL=... DATABASE_URL=... npm run migrate`, or `RUNTIME_ROLE` in place of `DATABASE_URL`.
 */

const print = (text: string) => process.stdout.write(`${text}\n`)

async function run(): Promise<void> {
  const settings = readSome(process.env, ['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'RUNTIME_ROLE'])
  const { DATABASE_URL, MIGRATION_DATABASE_URL, RUNTIME_ROLE } = settings
  const url = MIGRATION_DATABASE_URL ?? DATABASE_URL
  if (url === undefined)
    throw new ConfigError('Configuration: missing: MIGRATION_DATABASE_URL or DATABASE_URL')
  const isSplit = MIGRATION_DATABASE_URL !== undefined && DATABASE_URL !== undefined
  const runtimeRole = RUNTIME_ROLE ?? (isSplit ? await roleOf(DATABASE_URL) : undefined)
  const setting = MIGRATION_DATABASE_URL === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL'
  const applied = await migrate(url, {
    notice: print,
    setting,
    ...(runtimeRole !== undefined && { runtimeRole }),
  })
  print(applied.length === 0 ? 'The schema was up to date.' : `Applied ${applied.join(', ')}.`)
  print(
    runtimeRole === undefined
      ? 'No role was granted rights: set RUNTIME_ROLE, or DATABASE_URL beside MIGRATION_DATABASE_URL.'
      : `The role ${runtimeRole} has the rights that a gateway needs.`,
  )
}

try {
  await run()
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
