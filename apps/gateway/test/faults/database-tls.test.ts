import { X509Certificate } from 'node:crypto'
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCertificateExpiry, tlsServersOf } from '../../src/adapters/certificates.ts'
import { connectPostgres } from '../../src/adapters/postgres.ts'
import { type Needed, readConfig } from '../../src/config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/postgres/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../src/dev/postgres/postgres-place.ts'
import { findUnreachable, openForChecks } from '../../src/preflight/guard-money.ts'
import { createTestDatabase, overTcp } from '../kit/database/test-database.ts'
import { makeCertificate } from '../kit/network/certificate.ts'
import { startTlsFront } from '../kit/network/tls-front.ts'
import { silent } from '../kit/silent-log.ts'
import { until } from '../kit/until.ts'

/** An authority, another, and a key and certificate for localhost: made for these tests, good for a hundred years. */
const FILES = join(import.meta.dirname, 'tls')

let directory: string
let postgres: EmbeddedPostgres
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-tls-'))
  await chmod(directory, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  postgres = await startEmbeddedPostgres({ directory: join(directory, 'cluster'), fsync: false })
  for (const name of ['server.crt', 'server.key']) {
    const file = join(postgres.directory, name)
    await copyFile(join(FILES, name), file)
    await chmod(file, 0o600)
    await giveTo(file, unprivilegedUser())
  }
  await run(postgres.url('postgres'), 'alter system set ssl = on')
  await run(postgres.url('postgres'), 'select pg_reload_conf()')
  await until('the server speaks TLS', async () => {
    const [row] = await run(postgres.url('postgres'), 'show ssl')
    return row?.ssl === 'on'
  })
})
afterAll(async () => {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
})

async function run(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const isEncrypted = (url: string) =>
  run(url, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()').then(([row]) => row?.ssl)
const by = (mode: string, authority?: string) =>
  `${postgres.url('postgres')}?sslmode=${mode}${authority ? `&sslrootcert=${join(FILES, authority)}` : ''}`

test('a connection with sslmode=verify-full is encrypted, to a server that its authority has certified', async () => {
  expect(await isEncrypted(by('verify-full', 'ca.crt'))).toBe(true)
  expect(await isEncrypted(postgres.url('postgres'))).toBe(false)
})

test("a gateway reads the server's certificate without needing the authority", async () => {
  const [server] = tlsServersOf(readConfig({ FAREBOX_MODE: 'dev', DATABASE_URL: by('require') }))
  if (server === undefined) throw new Error('This database has TLS.')
  const { validTo } = new X509Certificate(await readFile(join(FILES, 'server.crt')))
  expect(await readCertificateExpiry(server)).toBe(Date.parse(validTo))
})

test('a server of another authority is refused, with every mode that asks for TLS', async () => {
  for (const mode of ['verify-full', 'verify-ca', 'require']) {
    await expect(isEncrypted(by(mode, 'other-ca.crt')), mode).rejects.toThrow(/certificate/)
    await expect(isEncrypted(by(mode)), mode).rejects.toThrow(/certificate/)
  }
})

test('a server without TLS is refused, with every mode that asks for it', async () => {
  const plain = await createTestDatabase()
  try {
    for (const mode of ['verify-full', 'verify-ca', 'require'])
      await expect(isEncrypted(`${overTcp(plain.url)}?sslmode=${mode}`), mode).rejects.toThrow(
        'does not support SSL',
      )
  } finally {
    await plain.drop()
  }
})

test('a connection that TLS refuses while a gateway runs is UNAVAILABLE, as one to a lost server', async () => {
  const good = makeCertificate(100)
  const front = await startTlsFront(postgres.url('postgres'), good)
  const authority = join(directory, 'front.crt')
  await writeFile(authority, good.cert)
  const url = new URL(postgres.url('postgres'))
  url.host = `localhost:${front.port}`
  let losses = 0
  const db = connectPostgres({
    connectionString: `${url.href}?sslmode=verify-full&sslrootcert=${authority}`,
    connectionsMax: 1,
    log: silent,
    onLost: () => {
      losses += 1
    },
  })
  const backend = async () => (await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
  try {
    const pid = await backend()
    front.show(makeCertificate(100))
    await run(postgres.url('postgres'), `select pg_terminate_backend(${pid})`)
    await until('the connection is lost', () => losses > 0)
    const before = losses
    const refused = { code: 'UNAVAILABLE', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }
    await expect(backend()).rejects.toMatchObject(refused)
    expect(losses).toBe(before + 1)
    front.show(good)
    expect(await backend()).toBeGreaterThan(0)
  } finally {
    await db.close()
    await front.stop()
  }
})

test('a gateway that a server refuses for TLS does not start, and names what to set', async () => {
  const expired = makeCertificate(-1)
  const front = await startTlsFront(postgres.url('postgres'), expired)
  const plain = await createTestDatabase()
  const authority = join(directory, 'expired.crt')
  await writeFile(authority, expired.cert)
  const adviceOn = async (url: string) => {
    const config = readConfig({ FAREBOX_MODE: 'dev', DATABASE_URL: url })
    const databases = openForChecks({ ...config, DATABASE_URL: url } as typeof config & Needed, silent)
    const away = await findUnreachable(databases).finally(() => databases.close())
    return away?.status === 'failed' ? away.advice : null
  }
  const fronted = new URL(postgres.url('postgres'))
  fronted.host = `localhost:${front.port}`
  try {
    expect(await adviceOn(by('verify-full', 'ca.crt'))).toBe(null)
    expect(await adviceOn(by('verify-full', 'other-ca.crt'))).toMatch(/^Set sslrootcert in DATABASE_URL/)
    const otherName = by('verify-full', 'ca.crt').replace('127.0.0.1', '0.0.0.0')
    expect(await adviceOn(otherName)).toMatch(/^Use a host name in DATABASE_URL/)
    expect(await adviceOn(`${fronted.href}?sslmode=verify-full&sslrootcert=${authority}`)).toMatch(/^Replace/)
    expect(await adviceOn(`${overTcp(plain.url)}?sslmode=verify-full`)).toMatch(/^Set ssl = on/)
  } finally {
    await front.stop()
    await plain.drop()
  }
})

test('a connection refused after a change of the password is UNAVAILABLE', async () => {
  await run(postgres.url('postgres'), "create role rotated login password 'old'")
  const url = new URL(postgres.url('postgres'))
  url.username = 'rotated'
  url.password = 'new'
  const db = connectPostgres({ connectionString: url.href, connectionsMax: 1, log: silent })
  try {
    await expect(db.query(sql`select 1`)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { code: '28P01' },
    })
    await run(postgres.url('postgres'), "alter role rotated password 'new'")
    await expect(db.query(sql`select 1`)).resolves.toHaveLength(1)
  } finally {
    await db.close()
  }
})
