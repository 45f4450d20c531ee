import { X509Certificate } from 'node:crypto'
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCertificateExpiry, tlsServersOf } from '../../src/adapters/certificates.ts'
import { readConfig } from '../../src/config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts'
import { giveTo, unprivilegedUser } from '../../src/dev/postgres-place.ts'
import { createTestDatabase, overTcp } from '../kit/database/test-database.ts'
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
