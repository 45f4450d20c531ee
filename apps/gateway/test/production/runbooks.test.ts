import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const document = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
const contract = JSON.parse(readFileSync(join(ROOT, 'apps/gateway/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
/** Paths that are not in the contract. */
const PLAIN = ['/metrics']

let on: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
})
afterAll(() => on.stop())

test('every npm run reconcile of docs/operations.md checks the books of a gateway, with the settings that it names', () => {
  const commands = [...document.matchAll(/^((?:[A-Z_]+=\S+ )+)npm run reconcile/gm)]
  expect(commands).toHaveLength(2)
  const values: Readonly<Record<string, string>> = {
    DATABASE_URL: on.database.url,
    CHAIN_RPC_URL: on.chain.rpcUrl,
    VAULT_ADDRESS: on.chain.contracts.vault,
  }
  const { PATH, HOME } = process.env
  for (const [, settings = ''] of commands) {
    const given = [...settings.matchAll(/([A-Z_]+)=(\S+)/g)]
    const env = Object.fromEntries(
      given.map(([, name = '', value = '']) => [name, value === '...' ? values[name] : value]),
    )
    const ran = spawnSync('npm', ['run', '--silent', 'reconcile'], {
      cwd: ROOT,
      env: { PATH, HOME, ...env },
      encoding: 'utf8',
    })
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('Every invariant holds.') })
    expect(ran.stdout).not.toContain('development mode')
  }
}, 120_000)

test.each(['reconcile', 'export-ledger'])(
  'npm run %s takes the books of DATABASE_URL, and starts no development gateway beside them',
  program => {
    const FAREBOX_DATA_DIR = join(tmpdir(), `farebox-none-${process.pid}`)
    const { PATH, HOME } = process.env
    const ran = spawnSync('npm', ['run', '--silent', program, '--', '/dev/null/file'], {
      cwd: ROOT,
      env: { PATH, HOME, FAREBOX_DATA_DIR, DATABASE_URL: on.database.url },
      encoding: 'utf8',
    })
    expect(ran).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/VAULT_ADDRESS|ENOTDIR/),
    })
    expect(existsSync(FAREBOX_DATA_DIR)).toBe(false)
  },
  120_000,
)

test('every statement of docs/operations.md runs under the role that it names', async () => {
  const commands = [...document.matchAll(/psql "\$(\w+)" -c (["'])([\s\S]*?)\2/g)]
  expect(commands.length).toBeGreaterThan(8)
  for (const [, setting = '', , statement = ''] of commands) {
    const connectionString = { DATABASE_URL: on.database.url, MIGRATION_DATABASE_URL: on.database.ownerUrl }[
      setting
    ]
    const client = new pg.Client({ connectionString })
    await client.connect()
    const outcome = await client.query(statement).then(
      () => 'ran',
      (error: Error) => error.message,
    )
    await client.end()
    expect([statement, outcome]).toEqual([statement, 'ran'])
  }
})

test('every request of docs/operations.md is in the contract, with its method', () => {
  const asked = [...document.matchAll(/curl ((?:(?!curl|```)[\s\S])*?)"?\$GATEWAY(\/[\w/.$-]*)/g)]
  expect(asked.length).toBeGreaterThan(8)
  const unknown = asked.filter(([, options = '', path = '']) => {
    const method = options.includes('-X POST') ? 'post' : 'get'
    const pattern = new RegExp(`^${path.replaceAll(/\$\w+/g, '\\{\\w+\\}')}$`)
    const found = Object.entries(contract.paths).some(
      ([known, operations]) => pattern.test(known) && method in operations,
    )
    return !found && !PLAIN.includes(path)
  })
  expect(unknown.map(([whole]) => whole)).toEqual([])
})
