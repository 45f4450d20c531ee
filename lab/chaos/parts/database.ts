import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'
import { migrate } from '../../../apps/gateway/src/adapters/migrate.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../apps/gateway/src/dev/postgres/embedded-postgres.ts'
import { signalAll, until } from '../../kit/processes.ts'

const NAME = 'farebox'
/** Killed processes may hold the memory of a server for a moment. */
const RESTART_LIMIT_MS = 20_000

const execute = promisify(execFile)

/** The PostgreSQL of the laboratory: fsync is on, and all of its processes can be killed at once. */
export type LabDatabase = {
  readonly port: number
  /** Returns the URL of the database: direct, or through the proxy that listens on `port`. */
  url(port?: number): string
  /** Plain SQL, past every line. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** SIGKILL to the postmaster and each of its children: nothing is flushed that was not. */
  kill(): Promise<void>
  /** Starts it again; it recovers from its log. */
  restart(): Promise<void>
  /** SIGSTOP to all of its processes, then SIGCONT to the same. */
  freeze(): Promise<() => void>
  stop(): Promise<void>
}

/** Starts it in a folder, migrated. */
export async function startLabDatabase(directory: string): Promise<LabDatabase> {
  const cluster = join(directory, 'cluster')
  let postgres: EmbeddedPostgres = await startEmbeddedPostgres({
    directory: cluster,
    port: await freePort(),
  })
  const { port } = postgres
  await postgres.ensureDatabase(NAME)
  await migrate(postgres.url(NAME))
  const pool = new pg.Pool({ connectionString: postgres.url(NAME), max: 4 })
  pool.on('error', () => undefined) // it is killed now and then

  const url = (by = port): string => {
    const given = new URL(postgres.url(NAME))
    given.port = String(by)
    return given.href
  }
  const signalTree = async (signal: NodeJS.Signals): Promise<number[]> => {
    const pids = [postgres.pid, ...(await childrenOf(postgres.pid))]
    signalAll(pids, signal)
    return pids
  }
  return {
    port,
    url,
    async sql(text, values = []) {
      await pool.query('select ledger_catch_up()')
      return (await pool.query(text, values)).rows
    },
    async kill() {
      await signalTree('SIGKILL')
    },
    async restart() {
      const start = () => startEmbeddedPostgres({ directory: cluster, port })
      postgres = await until('the database is started again', RESTART_LIMIT_MS, start)
    },
    async freeze() {
      const pids = await signalTree('SIGSTOP')
      return () => signalAll(pids, 'SIGCONT')
    },
    async stop() {
      await pool.end()
      await postgres.stop()
    },
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pid=,ppid='])
  return stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []))
}
