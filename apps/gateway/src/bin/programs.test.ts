import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { tourOf } from '../dev/development-gateway.ts'

vi.setConfig({ testTimeout: 60_000 })

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-programs-'))
})
afterAll(() => rm(directory, { recursive: true }))

const run = (program: string, env: Readonly<Record<string, string>>, ...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, program), ...args], {
    env: { PATH: process.env.PATH ?? '', FAREBOX_MODE: 'dev', ...env },
    encoding: 'utf8',
    timeout: 50_000,
  })

test('reconcile refuses a data directory without data, and makes none', () => {
  const FAREBOX_DATA_DIR = join(directory, 'nothing')
  const { status, stdout, stderr } = run('reconcile.ts', { FAREBOX_DATA_DIR })
  expect(stderr).toContain(`${FAREBOX_DATA_DIR} has no data of a gateway. Set FAREBOX_DATA_DIR`)
  expect([status, stdout, existsSync(FAREBOX_DATA_DIR)]).toEqual([2, '', false])
})

test('a program beside the gateway says why the database does not answer', () => {
  const env = { FAREBOX_MODE: 'production', DATABASE_URL: 'postgres://farebox@127.0.0.1:1/farebox' }
  const { status, stderr } = run('export-ledger.ts', env, join(directory, 'ledger.ndjson'))
  expect([status, stderr]).toEqual([
    2,
    'The ledger could not be exported: The database does not answer (connect ECONNREFUSED 127.0.0.1:1).\n',
  ])
})

test('a development start reports a port that is taken before it makes a database or a chain', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const FAREBOX_DATA_DIR = join(directory, 'taken')
  const { status, stderr } = run('main.ts', { FAREBOX_DATA_DIR, PORT: String(port) })
  server.close()
  expect(stderr).toContain(`port ${port} cannot be listened on (EADDRINUSE)`)
  expect(status).toBe(1)
  expect((await readdir(FAREBOX_DATA_DIR)).filter(name => /postgres|chain/.test(name))).toEqual([])
})

test.each(['/proc/farebox/data', '/proc', '/dev/null'])(
  'a development start reports the data directory %s, which cannot be written to',
  FAREBOX_DATA_DIR => {
    const { status, stderr } = run('main.ts', { FAREBOX_DATA_DIR })
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${FAREBOX_DATA_DIR} cannot be written to. Set FAREBOX_DATA_DIR to a folder`),
    ])
  },
)

test('the command of the tour names a gateway at another address than the usual', () => {
  expect(tourOf('http://127.0.0.1:8402')).toBe('npm run tour')
  expect(tourOf('http://127.0.0.1:9000')).toBe('FAREBOX_URL=http://127.0.0.1:9000 npm run tour')
})

test('the tour prints its usage', () => {
  const { status, stdout } = run('../tour/main.ts', {}, '--help')
  expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: npm run tour')])
})

test('the tour says in one line that no gateway answers', () => {
  const { status, stderr } = run('../tour/main.ts', { FAREBOX_URL: 'http://127.0.0.1:1' })
  expect([status, stderr]).toEqual([1, '\nThe tour failed: No gateway answers at http://127.0.0.1:1.\n'])
})
