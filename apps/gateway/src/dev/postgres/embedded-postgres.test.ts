import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startZombie } from '../../../test/kit/zombie.ts'
import { freePort } from '../../adapters/free-port.ts'
import { isTaken } from '../../runtime/start-on-free-port.ts'
import { isProcessOf } from '../processes.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { findPlace, unprivilegedUser } from './postgres-place.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** Directory of one shared cluster; other tests use directories beside it. */
let directory: string
const running: EmbeddedPostgres[] = []
const notices: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-postgres-'))
  await chmod(directory, 0o711)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(postgres => postgres.stop()))
  notices.length = 0
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const commonCluster = () => join(directory, 'data', 'postgres')

async function start(cluster = commonCluster(), fsync = false): Promise<EmbeddedPostgres> {
  const elsewhere = join(directory, 'elsewhere')
  const notice = (text: string) => notices.push(text)
  const postgres = await startEmbeddedPostgres({ directory: cluster, elsewhere, notice, fsync })
  running.push(postgres)
  await postgres.ensureDatabase('books')
  await query(postgres, 'create table if not exists entries (entry text)')
  return postgres
}

async function stop(postgres: EmbeddedPostgres): Promise<void> {
  running.splice(running.indexOf(postgres), 1)
  await postgres.stop()
}

async function query<Row extends pg.QueryResultRow>(
  postgres: EmbeddedPostgres,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres.url('books') })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

const write = (postgres: EmbeddedPostgres, entry: string) =>
  query(postgres, `insert into entries values ('${entry}')`)

async function has(postgres: EmbeddedPostgres, entry: string): Promise<boolean> {
  const rows = await query(postgres, `select from entries where entry = '${entry}'`)
  return rows.length === 1
}

describe('the cluster', () => {
  test('is initialised again after an interrupted initialisation', async () => {
    const cut = `${commonCluster()}.fresh`
    await mkdir(cut, { recursive: true })
    await writeFile(join(cut, 'PG_VERSION'), '18')
    await start()
    expect(await readdir(dirname(cut))).not.toContain('postgres.fresh')
  })

  test('is reused after a stop, and accepts connections with its password only', async () => {
    const first = await start()
    await write(first, 'stopped')
    await stop(first)
    const second = await start()
    expect(await has(second, 'stopped')).toBe(true)
    const noPassword = new URL(second.url('books'))
    noPassword.password = 'guess'
    const client = new pg.Client({ connectionString: noPassword.href })
    await expect(client.connect()).rejects.toThrow(/password authentication failed/)
  })

  test('keeps its data when the server is killed', async () => {
    const first = await start(commonCluster(), true)
    await write(first, 'killed')
    process.kill(first.pid, 'SIGKILL')
    expect(await has(await start(), 'killed')).toBe(true)
  })

  test('reports that its port is taken, and is then started on another', async () => {
    const other = createServer().listen(await freePort(), '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    try {
      const starting = startEmbeddedPostgres({ directory: commonCluster(), fsync: false, port })
      expect(isTaken(await starting.catch((error: unknown) => error))).toBe(true)
      expect((await start()).port).not.toBe(port)
    } finally {
      other.close()
    }
  })

  test('starts although another program has the process id of its previous server', async () => {
    const first = await start()
    await write(first, 'renumbered')
    await stop(first)
    await writeFile(join(first.directory, 'postmaster.pid'), `${process.pid}\n${first.directory}\n`)
    expect(await has(await start(), 'renumbered')).toBe(true)
  })

  test('starts although a zombie has the process id of its previous server', async () => {
    const first = await start()
    await write(first, 'zombie')
    await stop(first)
    const zombie = await startZombie(unprivilegedUser())
    await writeFile(join(first.directory, 'postmaster.pid'), `${zombie.pid}\n${first.directory}\n`)
    expect(await has(await start(), 'zombie')).toBe(true)
    zombie.end()
  })

  test('starts again while a backend of its killed server still runs', async () => {
    const first = await start(commonCluster(), true)
    await write(first, 'orphaned')
    const client = new pg.Client({ connectionString: first.url('books') })
    client.on('error', () => undefined) // its server is about to be killed
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const backend = Number(rows[0]?.pid)
    process.kill(backend, 'SIGSTOP')
    process.kill(first.pid, 'SIGKILL')
    const again = start()
    await expect
      .poll(() => notices)
      .toContainEqual(expect.stringContaining('is still running'))
      .finally(() => process.kill(backend, 'SIGCONT'))
    expect(await has(await again, 'orphaned')).toBe(true)
  })

  test('that ends by itself is reported with the last lines of the server, and one that is stopped is not', async () => {
    const first = await start(join(directory, 'ends', 'postgres'))
    // Without this file a checkpoint ends the server (PANIC), as a full disk does.
    const client = new pg.Client({ connectionString: first.url('postgres') })
    client.on('error', () => undefined)
    await client.connect()
    await rm(join(first.directory, 'global', 'pg_control'))
    await expect(client.query('checkpoint')).rejects.toThrow()
    await expect
      .poll(() => notices)
      .toEqual([
        expect.stringMatching(
          /^PostgreSQL stopped unexpectedly\. Restart the gateway\. .*PANIC.*pg_control/s,
        ),
      ])
    await stop(first)
    await stop(await start())
    expect(notices).toHaveLength(1)
  })

  test('of a killed gateway is taken over from its orphaned server', async () => {
    const module = join(import.meta.dirname, 'embedded-postgres.ts')
    const cluster = commonCluster()
    const script = `
      import { startEmbeddedPostgres } from ${JSON.stringify(module)}
      const { pid } = await startEmbeddedPostgres({ directory: ${JSON.stringify(cluster)} })
      console.log(pid)
      setInterval(() => undefined, 1_000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
    const exited = once(owner, 'exit')
    owner.kill('SIGKILL')
    await exited
    const left = Number(line)
    expect(isProcessOf(left, cluster)).toBe(true)

    await start()
    expect(isProcessOf(left, cluster)).toBe(false)
  })
})

describe.runIf(isRoot)('started as root', () => {
  test('runs the server as another user', async () => {
    const postgres = await start()
    const [row] = await query<{ uid: string }>(
      postgres,
      `select pg_read_file('/proc/self/status', 0, 4096) as uid`,
    )
    expect(row?.uid).toMatch(new RegExp(`^Uid:\\s+${unprivilegedUser().uid}\\s`, 'm'))
    expect(notices).toEqual([])
  })

  test('keeps the cluster elsewhere when only root may enter its folder, for as long as that exists', async () => {
    await mkdir(join(directory, 'private'), { mode: 0o700 })
    const data = join(directory, 'private', 'data')
    const cluster = join(data, 'postgres')
    const umask = process.umask(0o077)
    try {
      const first = await start(cluster)
      await write(first, 'elsewhere')
      expect(first.directory.startsWith(join(directory, 'elsewhere'))).toBe(true)
      expect(notices).toEqual([expect.stringContaining(first.directory)])
      await stop(first)
      const second = await start(cluster)
      expect(await has(second, 'elsewhere')).toBe(true)
      await stop(second)
      await rm(data, { recursive: true })
      const third = await start(cluster)
      expect(third.directory).toBe(first.directory)
      expect(await has(third, 'elsewhere')).toBe(false)
    } finally {
      process.umask(umask)
    }
  })

  test('copies binaries that only root can reach to where the server can run them', async () => {
    const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
      postgres: string
    }
    const hidden = join(directory, 'hidden')
    await mkdir(hidden, { mode: 0o700 })
    await symlink(dirname(dirname(postgres)), join(hidden, 'native'))
    const place = {
      directory: commonCluster(),
      postgres: join(hidden, 'native', 'bin', 'postgres'),
      runAs: unprivilegedUser(),
      elsewhere: join(directory, 'elsewhere'),
      notice: () => undefined,
    }
    const { bin } = await findPlace(place)
    expect(dirname(dirname(bin))).toBe(join(directory, 'elsewhere'))
    const copied = await stat(join(bin, 'initdb'))
    expect((await findPlace(place)).bin).toBe(bin)
    expect((await stat(join(bin, 'initdb'))).ino).toBe(copied.ino)
    expect((await findPlace({ ...place, postgres: join(bin, 'postgres') })).bin).toBe(bin)
  })

  test('runs everything as itself for an ordinary user', async () => {
    const data = join(directory, 'of-nobody')
    await mkdir(data)
    await chown(data, NOBODY, NOBODY)
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const { postgres } = (await import(name)) as { postgres: string }
    const { bin } = await findPlace({
      directory: commonCluster(),
      postgres,
      runAs: unprivilegedUser(),
      notice: () => undefined,
      elsewhere: join(directory, 'elsewhere'),
    })
    // The checkout may lie where that user cannot enter: what is imported is read before, and the binaries are reachable.
    const binaries = `
      export const initdb = ${JSON.stringify(join(bin, 'initdb'))}
      export const postgres = ${JSON.stringify(join(bin, 'postgres'))}`
    const script = `
      import { registerHooks } from 'node:module'
      const url = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(binaries)}`)}
      registerHooks({
        resolve: (asked, context, next) =>
          asked === '${name}' ? { url, shortCircuit: true } : next(asked, context),
      })
      const { startEmbeddedPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))})
      process.setgroups([])
      process.setgid(${NOBODY})
      process.setuid(${NOBODY})
      const postgres = await startEmbeddedPostgres({ directory: ${JSON.stringify(join(data, 'postgres'))} })
      await postgres.ensureDatabase('books')
      await postgres.stop()
      console.log('done as', process.getuid())`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: '/',
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await once(child, 'exit')
    expect(text.trim()).toBe(`done as ${NOBODY}`)
  })
})
