import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../src/adapters/free-port.ts'
import { startEmbeddedPostgres } from '../../../src/dev/postgres/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../../src/dev/postgres/postgres-place.ts'
import { until } from '../../kit/until.ts'
import { isInstalled, type Shell, skip } from './shell.ts'

/** Certificates of the tests of TLS, for a machine without openssl. */
const CERTIFICATES = join(import.meta.dirname, '../../faults/tls')
/** Folder of the versions of PostgreSQL that Debian has installed, the oldest for gateways, and programs needed here. */
const DEBIAN = '/usr/lib/postgresql'
const VERSION_MIN = 15
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres', 'pg_basebackup', 'pg_receivewal']
/** As startEmbeddedPostgres has it. */
const SUPERUSER = 'farebox'

/** Opens a session. */
async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

/** Runs a statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
): Promise<Row[]> {
  const client = await connect(connectionString)
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * Starts an empty PostgreSQL whose settings are in its directory, with TLS by an authority made for it.
 *
 * @param place a directory that the server's user may enter
 */
export async function startDatabase(place: string, shell: Shell) {
  const { programs, password, ...made } = await initialise(place, shell)
  let { directory } = made
  const port = await freePort()
  const superuser = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`
  const authority = await certify(join(place, 'tls'), directory, shell)
  const settings = `ssl = on\nport = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`
  await appendFile(join(directory, 'postgresql.conf'), settings)
  const control = (words: string) =>
    shell.run(`'${programs}/pg_ctl' -D '${directory}' ${words}`, { as: unprivilegedUser() })
  const endWithUs = () => killServer(directory)
  process.once('exit', endWithUs)
  await control('start')
  return {
    superuser,
    port,
    /** Folder of the server's programs. */
    programs,
    /** Returns the data directory. */
    directory: () => directory,
    /** Returns the URL of a role, by TLS that the client verifies. */
    url: (role: string, password: string, database = 'farebox') =>
      `postgres://${role}:${password}@localhost:${port}/${database}?sslmode=verify-full&sslrootcert=${authority}`,
    restart: () => control('restart'),
    /** Stops the server. */
    async stop(): Promise<void> {
      if (existsSync(join(directory, 'postmaster.pid'))) await control('stop')
      process.removeListener('exit', endWithUs)
    },
    /** Stops all processes of the server, as a machine that hangs does; returns what lets them go on. */
    async freeze(): Promise<() => void> {
      const sessions = await query<{ pid: number }>(superuser, 'select pid from pg_stat_activity')
      const pids = [processOf(directory), ...sessions.map(({ pid }) => pid)]
      for (const pid of pids) signalProcess(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) signalProcess(pid, 'SIGCONT')
      }
    },
    /** Kills the server with all of its sessions, as a crash of its machine. */
    async crash(): Promise<void> {
      killServer(directory)
      await until('the server is gone', () => !existsSync(join(directory, 'postmaster.pid')))
    },
    /** Takes over a server on another directory that a command has started. */
    moveTo(other: string): void {
      directory = other
      process.once('exit', endWithUs)
    },
  }
}

/** Initialises a cluster by the programs of Debian, or by those of the npm package where there are none. */
async function initialise(place: string, shell: Shell) {
  const directory = join(place, 'cluster')
  const programs = await findDebian()
  if (programs === null) {
    skip('the PostgreSQL of Debian, which is not installed', 'that of the npm package')
    return initialiseEmbedded(directory)
  }
  const password = randomBytes(12).toString('hex')
  const file = join(place, 'superuser')
  await writeFile(file, password)
  await mkdir(directory, { mode: 0o700 })
  for (const path of [file, directory]) await giveTo(path, unprivilegedUser())
  const how = `-U ${SUPERUSER} --pwfile='${file}' --auth=scram-sha-256 -E UTF8 --locale=C --no-sync`
  await shell.run(`'${programs}/initdb' -D '${directory}' ${how}`, { as: unprivilegedUser() })
  return { directory, programs, password }
}

/** Returns the folder of Debian's newest PostgreSQL with all of its programs; null if there is none. */
async function findDebian(): Promise<string | null> {
  const versions = (await readdir(DEBIAN).catch(() => []))
    .map(Number)
    .filter(version => version >= VERSION_MIN)
  const folders = versions.sort((a, b) => b - a).map(version => join(DEBIAN, String(version), 'bin'))
  return folders.find(folder => PROGRAMS.every(program => existsSync(join(folder, program)))) ?? null
}

async function initialiseEmbedded(directory: string) {
  const server = await startEmbeddedPostgres({ directory })
  const superuser = server.url('postgres')
  // Development mode makes it; here the document does.
  await query(superuser, 'drop role farebox_gateway')
  const [config] = await query<{ bin: string }>(
    superuser,
    "select setting as bin from pg_config where name = 'BINDIR'",
  )
  await server.stop()
  return {
    directory: server.directory,
    programs: config?.bin ?? '',
    password: new URL(superuser).password,
  }
}

/** Returns the id of the server's first process. */
const processOf = (directory: string): number =>
  Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10)

/** Signals a process, which may have ended. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Kills the server on a directory, with an aborted test run. */
function killServer(directory: string): void {
  if (existsSync(join(directory, 'postmaster.pid'))) process.kill(processOf(directory), 'SIGQUIT')
}

/** Makes an authority, and by it a key and certificate of localhost for a server; returns the authority's file. */
async function certify(directory: string, cluster: string, shell: Shell): Promise<string> {
  await mkdir(directory, { mode: 0o755 })
  const file = (name: string) => join(directory, name)
  if (isInstalled('openssl')) {
    await writeFile(file('san'), 'subjectAltName=DNS:localhost\n')
    const fresh = 'openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
    await shell.run(`cd ${directory}
      ${fresh} -x509 -days 2 -subj /CN=rehearsal -keyout ca.key -out ca.crt
      ${fresh} -subj /CN=localhost -keyout server.key -out server.csr
      openssl x509 -req -days 2 -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile san -out server.crt`)
  } else {
    skip('an authority made by openssl, which is not installed', 'that of the tests')
    for (const name of ['ca.crt', 'server.crt', 'server.key'])
      await copyFile(join(CERTIFICATES, name), file(name))
  }
  for (const name of ['server.crt', 'server.key']) {
    const to = join(cluster, name)
    await copyFile(file(name), to)
    await chmod(to, 0o600)
    await giveTo(to, unprivilegedUser())
  }
  return file('ca.crt')
}
