import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/adapters/migrate.ts'
import { roleOf } from '../src/adapters/prepare-schema.ts'
import { startEmbeddedPostgres } from '../src/dev/embedded-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection strings of the database server of this run, with `{database}` for the name. */
    postgres: { readonly gateway: string; readonly owner: string }
  }
}

/** The migrated database that each test file's own is cloned from. */
export const TEMPLATE_DATABASE = 'farebox_template'

/** Three test files at once, each with up to five gateways of 22 connections and its own beside them. */
const CONNECTIONS_MAX = 450

/** One PostgreSQL for the whole run. It is real; only fsync is off, since no test cuts the power. */
export async function setup(project: TestProject) {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-test-'))
  await chmod(directory, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'cluster'),
    fsync: false,
    connectionsMax: CONNECTIONS_MAX,
  })
  await postgres.ensureDatabase(TEMPLATE_DATABASE)
  const runtimeRole = await roleOf(postgres.url(TEMPLATE_DATABASE, 'gateway'))
  await migrate(postgres.url(TEMPLATE_DATABASE), { runtimeRole })
  project.provide('postgres', {
    gateway: postgres.url('{database}', 'gateway'),
    owner: postgres.url('{database}'),
  })
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
