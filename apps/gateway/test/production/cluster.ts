import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { migrate } from '../../src/adapters/migrate.ts'
import { roleOf } from '../../src/adapters/prepare-schema.ts'
import { startEmbeddedPostgres } from '../../src/dev/postgres/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../src/dev/postgres/postgres-place.ts'
import { until } from '../kit/until.ts'

const DATABASE = 'farebox'
const CONNECTIONS_MAX = 120
const POINT = 'the_moment'

const execute = promisify(execFile)

/** A cold copy of a data directory. */
export type Copy = { readonly directory: string }

/**
 * Starts a PostgreSQL cluster with one migrated database and the runtime role of gateways. It keeps its port over every
 * stop and restore, so that clients reconnect.
 */
export async function startCluster() {
  const place = await mkdtemp(join(tmpdir(), 'farebox-production-'))
  await chmod(place, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  const settings = { directory: join(place, 'cluster'), fsync: false, connectionsMax: CONNECTIONS_MAX }
  let server = await startEmbeddedPostgres(settings)
  const { port, directory } = server
  const start = async () => {
    server = await startEmbeddedPostgres({ ...settings, port })
  }
  // Otherwise a checkpoint removes log that a restore needs.
  await run(server.url('postgres'), "alter system set wal_keep_size = '512MB'")
  await run(server.url('postgres'), 'select pg_reload_conf()')
  await server.ensureDatabase(DATABASE)
  const url = server.url(DATABASE)
  const gatewayUrl = server.url(DATABASE, 'gateway')
  await migrate(url, { runtimeRole: await roleOf(gatewayUrl) })
  let copies = 0

  async function copy(): Promise<Copy> {
    copies += 1
    const to = join(place, `copy-${copies}`)
    await server.stop()
    await execute('cp', ['-a', directory, to])
    await start()
    return { directory: to }
  }

  /** Replaces the data; `prepare` changes them before the server starts. */
  async function replace(from: Copy, prepare: () => Promise<void> = async () => undefined): Promise<void> {
    await server.stop()
    const later = join(place, `later-${copies}`)
    await rm(later, { recursive: true, force: true })
    await execute('mv', [directory, later])
    await execute('cp', ['-a', from.directory, directory])
    await prepare()
    await start()
    await until('the server takes writes', async () => {
      const [row] = await run<{ down: boolean }>(url, 'select pg_is_in_recovery() as down')
      return row?.down === false
    })
  }

  return {
    /** For tests: the superuser. */
    url,
    gatewayUrl,
    stop: () => server.stop(),
    start,
    /** Stops the server, copies its data, and starts it again. */
    copy,
    /** Replaces the data with an older copy, which looks current. */
    putBack: (from: Copy) => replace(from),
    /** Marks this moment in the log for {@link recoverTo}; one at a time. */
    async markMoment(): Promise<void> {
      await run(url, `select pg_create_restore_point('${POINT}')`)
    },
    /** Point-in-time restore: a copy, and its log up to the mark. */
    async recoverTo(from: Copy): Promise<void> {
      const log = join(place, 'log')
      await run(url, 'select pg_switch_wal()')
      await replace(from, async () => {
        await execute('cp', ['-a', join(place, `later-${copies}`, 'pg_wal'), log])
        await recover(directory, [`restore_command = 'cp ${log}/%f %p'`, `recovery_target_name = '${POINT}'`])
      })
      await rm(log, { recursive: true })
    },
    /** Effect of a planned failover: all transactions, on a new timeline. */
    async failOver(): Promise<void> {
      const toItsEnd = ["restore_command = 'false'", "recovery_target_name = ''"]
      await replace(await copy(), () => recover(directory, toItsEnd))
    },
    /** Stops the server and deletes everything. */
    async end(): Promise<void> {
      await server.stop()
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** Makes the next start recover from the log and begin a new timeline. */
async function recover(directory: string, settings: readonly string[]): Promise<void> {
  const lines = [...settings, "recovery_target_action = 'promote'", '']
  await appendFile(join(directory, 'postgresql.auto.conf'), lines.join('\n'))
  const signal = join(directory, 'recovery.signal')
  await writeFile(signal, '')
  await giveTo(signal, unprivilegedUser())
}

async function run<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
