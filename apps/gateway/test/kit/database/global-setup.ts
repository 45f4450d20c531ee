import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../../src/adapters/migrate.ts'
import { roleOf } from '../../../src/adapters/prepare-schema.ts'
import { startEmbeddedPostgres } from '../../../src/dev/postgres/embedded-postgres.ts'
import { memoryFolder } from '../memory-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Connection strings of the database server of this run, with `{database}` for the name, over its Unix socket: tests
     * take a tenth less processor time than over TCP.
     */
    postgres: { readonly gateway: string; readonly owner: string }
  }
}

/** The migrated database that test files clone. */
export const TEMPLATE_DATABASE = 'farebox_template'

/** Five parallel test files, each with up to four gateways of 26 connections and its own. */
const CONNECTIONS_MAX = 600

/** Starts one PostgreSQL for the whole run, without fsync. */
export async function setup(project: TestProject) {
  // A clone of the template has some 700 files, and creating them on ext4 takes half a second of processor time.
  const directory = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'farebox-test-'))
  await chmod(directory, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  const cluster = join(directory, 'cluster')
  const postgres = await startEmbeddedPostgres({
    directory: cluster,
    fsync: false,
    connectionsMax: CONNECTIONS_MAX,
  })
  await trustSocket(cluster)
  await logRowsOnly(postgres.url('postgres'))
  await postgres.ensureDatabase(TEMPLATE_DATABASE)
  const runtimeRole = await roleOf(postgres.url(TEMPLATE_DATABASE, 'gateway'))
  await migrate(postgres.url(TEMPLATE_DATABASE), { runtimeRole })
  project.provide('postgres', {
    gateway: postgres.localUrl('{database}', 'gateway'),
    owner: postgres.localUrl('{database}'),
  })
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Asks for no password on the socket, where to check one takes longer than to connect. Takes effect when the
 * configuration is loaded again.
 */
async function trustSocket(cluster: string): Promise<void> {
  const rules = join(cluster, 'pg_hba.conf')
  await writeFile(rules, `local all all trust\n${await readFile(rules, 'utf8')}`)
}

/** Leaves images of whole pages out of the log: they serve a crash, after which nobody starts this server again. */
async function logRowsOnly(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('alter system set full_page_writes = off')
  await client.query('select pg_reload_conf()')
  await client.end()
}
