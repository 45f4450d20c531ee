import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/dev/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../../src/dev/postgres-place.ts'
import { until } from '../../kit/until.ts'
import { isInstalled, type Shell, skip } from './shell.ts'

/** Certificates of the tests of TLS, for a machine without openssl. */
const CERTIFICATES = join(import.meta.dirname, '../../faults/tls')

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
  const server = await startEmbeddedPostgres({ directory: join(place, 'cluster') })
  const { port } = server
  const superuser = server.url('postgres')
  const authority = await certify(join(place, 'tls'), server.directory, shell)
  const settings = {
    ssl: 'on',
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  }
  for (const [name, value] of Object.entries(settings))
    await query(superuser, `alter system set ${name} = '${value}'`)
  // Development mode makes it; here the document does.
  await query(superuser, 'drop role farebox_gateway')
  await query(superuser, 'select pg_reload_conf()')
  await until('the server speaks TLS', async () => (await query(superuser, 'show ssl'))[0]?.ssl === 'on')
  const [config] = await query<{ bin: string }>(
    superuser,
    "select setting as bin from pg_config where name = 'BINDIR'",
  )
  return {
    superuser,
    directory: server.directory,
    port,
    /** Folder of the server's programs. */
    programs: config?.bin ?? '',
    /** Returns the URL of a role, by TLS that the client verifies. */
    url: (role: string, password: string, database = 'farebox') =>
      `postgres://${role}:${password}@localhost:${port}/${database}?sslmode=verify-full&sslrootcert=${authority}`,
    /** Stops the server. */
    stop: () => server.stop(),
  }
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
