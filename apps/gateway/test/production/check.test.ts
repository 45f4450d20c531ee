import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { usdc } from '@farebox/money'
import { fareboxVaultAbi, fareboxVaultBytecode } from '@farebox/vault'
import pg from 'pg'
import { type Address, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployContracts, firstAccount } from '../../src/dev/deploy.ts'
import type { Finding } from '../../src/preflight/check.ts'
import { checkEverything } from '../../src/preflight/check-everything.ts'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../kit/chain/test-chain.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { startTestGateway, testEnvironment } from '../kit/gateway/test-gateway.ts'

const PROGRAM = join(import.meta.dirname, '../../src/bin/farebox.ts')
/** Code of a token that answers everything with 18. */
const EIGHTEEN: Hex = '0x601260005260206000f3'

let chain: TestChain
let database: TestDatabase
let proxy: RpcProxy
let environment: Record<string, string>

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  proxy = await startRpcProxy(chain.rpcUrl)
  environment = {
    ...testEnvironment({ chain, database }),
    CHAIN_ID: '31337',
    USDC_ADDRESS: chain.contracts.usdc,
    // The default: docs/scaling.md counts by it.
    DATABASE_CONNECTIONS: '',
  }
  // Binds the database to its vault, and stores its encryption key.
  const gateway = await startTestGateway({ chain, database, env: environment })
  await gateway.gateway.stop()
})
afterAll(async () => {
  await Promise.all([chain.stop(), database.drop(), proxy.stop()])
})

const judged = (findings: readonly Finding[], status: Finding['status']) =>
  findings.filter(finding => finding.status === status).map(({ check }) => check)

describe('farebox check', () => {
  test('reports every setting as a table and as JSON, and exits 0', () => {
    const { PATH = '' } = process.env
    const run = (...options: string[]) =>
      spawnSync(process.execPath, [PROGRAM, 'check', ...options], {
        env: { PATH, ...environment },
        encoding: 'utf8',
      })
    const json = run('--json')
    expect(json).toMatchObject({ status: 0, stderr: '' })
    const { ok, checks } = JSON.parse(json.stdout) as { ok: boolean; checks: Finding[] }
    expect(ok).toBe(true)
    expect(judged(checks, 'failed')).toEqual([])
    expect(judged(checks, 'ok')).toEqual(
      expect.arrayContaining([
        'settings',
        'database version',
        'database encoding',
        'database role and schema',
        'encryption key',
        'vault of the database',
        'chain id',
        'token of the vault',
        'token features',
        'ticket signer',
        'daily cap of the vault',
        'vault paused',
        'clock of the database',
        'disk of this machine',
      ]),
    )
    // One endpoint, an owner that is a key, fsync off, no mail server.
    expect(judged(checks, 'warning')).toEqual(
      expect.arrayContaining(['agreement of endpoints', 'vault owner', 'database durability', 'mail server']),
    )
    const table = run()
    expect(table.stdout).toMatch(/^ok {7}chain id +31337$/m)
    // docs/scaling.md counts them.
    expect(table.stdout).toMatch(/^ok {7}database connections .* a gateway takes up to 26$/m)
    expect(table.stdout).toMatch(/^ {9,}-> Set RPC_URLS to endpoints of other providers\.$/m)
    expect(table.stdout).toMatch(/^\d+ ok, \d+ warnings, 0 not ok\.$/m)
    for (const secret of ['JWT_SECRET', 'ENCRYPTION_KEY', 'TICKET_SIGNER_KEY'])
      expect(table.stdout + json.stdout).not.toContain(environment[secret])
  })

  test('says that a database has no vault yet, also after its migration', async () => {
    const unused = await createTestDatabase()
    const named = { ...environment, DATABASE_URL: unused.url }
    const findings = await checkEverything(named).finally(() => unused.drop())
    expect(findings.find(({ check }) => check === 'vault of the database')).toMatchObject({
      status: 'ok',
      found: 'none yet: the first start stores it',
    })
  })

  test('names every invalid setting, and checks nothing else', async () => {
    const findings = await checkEverything({ ...environment, PORT: 'http', JWT_SECRET: '' })
    expect(findings.map(({ found }) => found)).toEqual([
      expect.stringMatching(/^PORT /),
      'missing for production mode: JWT_SECRET.',
    ])
    expect(await checkEverything({ FAREBOX_MODE: 'dev' })).toMatchObject([{ status: 'failed' }])
  })

  test('compares the endpoints of the chain with each other', async () => {
    const both = { ...environment, RPC_URLS: proxy.url }
    expect(judged(await checkEverything(both), 'ok')).toContain('agreement of endpoints')
    await chain.mine(1)
    proxy.misbehave({
      alter: (method, result) =>
        method === 'eth_getBlockByNumber'
          ? { ...(result as object), hash: `0x${'ab'.repeat(32)}` }
          : undefined,
    })
    const findings = await checkEverything(both)
    expect(findings.find(({ check }) => check === 'agreement of endpoints')).toMatchObject({
      status: 'failed',
      found: expect.stringMatching(/^RPC_URLS: the endpoints have different blocks/),
    })
    proxy.misbehave()
  })

  test('reports a paused vault, a cap below the automatic limit, and deposits before the first block', async () => {
    const { contracts } = chain
    const snapshot = await chain.snapshot()
    await chain.setDailyCap(1_000_000n)
    await chain.deposit(privateKeyToAccount(generatePrivateKey()).address, usdc(5_000_000n))
    const owner = await firstAccount(chain.client)
    const pause = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'pause' })
    await chain.send(owner, contracts.vault, pause)
    const head = await chain.client.getBlockNumber()
    const findings = await checkEverything({ ...environment, FOLLOWER_START_BLOCK: String(head) })
    expect(judged(findings, 'warning')).toEqual(
      expect.arrayContaining(['vault paused', 'daily cap of the vault', 'first block of the follower']),
    )
    await chain.revertTo(snapshot)
  })

  test('reports an unreachable database, chain and mail server, each by its setting', async () => {
    const away = {
      DATABASE_URL: 'postgres://a:hunter2@127.0.0.1:1/b',
      CHAIN_RPC_URL: 'http://127.0.0.1:1/hunter2',
    }
    const findings = await checkEverything({
      ...environment,
      ...away,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'farebox@example.invalid',
    })
    expect(judged(findings, 'failed')).toEqual(['database', 'endpoint 127.0.0.1:1', 'vault', 'mail server'])
    for (const setting of ['DATABASE_URL', 'CHAIN_RPC_URL', 'SMTP_URL'])
      expect(findings.filter(({ found }) => found.startsWith(`${setting}: `))).toHaveLength(1)
    expect(JSON.stringify(findings)).not.toContain('hunter2')
  })
})

describe('a start in production', () => {
  /** Deploys a vault of a token for the gateway's signer. */
  async function vaultOf(token: Address): Promise<Address> {
    const owner = await firstAccount(chain.client)
    const signer = privateKeyToAccount(chain.ticketSignerKey).address
    const hash = await chain.send(
      owner,
      null,
      encodeDeployData({
        abi: fareboxVaultAbi,
        bytecode: fareboxVaultBytecode,
        args: [token, signer, owner, 1n],
      }),
    )
    const { contractAddress } = await chain.client.getTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('No vault was deployed.')
    return contractAddress
  }
  const anotherVault = async () => {
    const owner = await firstAccount(chain.client)
    return (await deployContracts(chain.client, { owner, signer: owner })).vault
  }
  const tokenOfEighteen = async () => {
    const token = privateKeyToAccount(generatePrivateKey()).address
    await chain.client.setCode({ address: token, bytecode: EIGHTEEN })
    return vaultOf(token)
  }

  const wrong: [string, string, () => Promise<Record<string, string>>][] = [
    [
      'another chain id',
      'CHAIN_RPC_URL is an endpoint of chain 31337, but CHAIN_ID is 8453.',
      async () => ({ CHAIN_ID: '8453' }),
    ],
    ['another token', 'but USDC_ADDRESS is 0x', async () => ({ USDC_ADDRESS: chain.contracts.vault })],
    [
      'an address without code',
      'is not a contract on chain 31337.',
      async () => ({ VAULT_ADDRESS: `0x${'12'.repeat(20)}` }),
    ],
    [
      'an address that is not a vault',
      'is a contract but not a FareboxVault.',
      async () => ({ VAULT_ADDRESS: chain.contracts.usdc }),
    ],
    [
      'a token with 18 decimals',
      'with 18 decimals; it must have 6.',
      async () => ({ VAULT_ADDRESS: await tokenOfEighteen() }),
    ],
    [
      'a vault other than the database has',
      'but this database belongs to the vault',
      async () => ({ VAULT_ADDRESS: await anotherVault() }),
    ],
    [
      'the key of another signer',
      'TICKET_SIGNER_KEY (or TICKET_SIGNER_ADDRESS) is that of 0x',
      async () => ({ TICKET_SIGNER_KEY: generatePrivateKey() }),
    ],
    [
      'another encryption key',
      'ENCRYPTION_KEY is not the key that',
      async () => ({ ENCRYPTION_KEY: randomBytes(32).toString('hex') }),
    ],
    [
      'endpoints of two chains',
      'CHAIN_RPC_URL and RPC_URLS do not lead to one chain',
      async () => {
        proxy.misbehave({ alter: method => (method === 'eth_chainId' ? '0x1' : undefined) })
        return { RPC_URLS: proxy.url }
      },
    ],
    [
      'two databases',
      'MIGRATION_DATABASE_URL and DATABASE_URL lead to different databases.',
      async () => ({
        MIGRATION_DATABASE_URL: Object.assign(new URL(database.ownerUrl), { pathname: '/postgres' }).href,
      }),
    ],
  ]

  test.each(wrong)(
    'is refused with %s, by the sentence that farebox check prints',
    async (_, sentence, env) => {
      const settings = { ...environment, ...(await env()) }
      await expect(startTestGateway({ chain, database, env: settings })).rejects.toThrow(sentence)
      const findings = await checkEverything(settings)
      expect(findings.find(({ found }) => found.includes(sentence))).toMatchObject({
        status: 'failed',
        guardsMoney: true,
        advice: expect.stringMatching(/^[A-Z].*\.$/),
      })
      proxy.misbehave()
    },
  )

  test('is refused on a database that is not UTF8, in one line, before any migration', async () => {
    const empty = await createEmpty('LATIN1')
    const settings = { DATABASE_URL: empty.url, TICKET_SIGNER_KEY: generatePrivateKey() }
    try {
      const started = startGatewayProcess({ chain, database, env: { ...environment, ...settings } })
      const output = await started.then(
        () => 'ready',
        (error: Error) => error.message,
      )
      const [ended, line = '', ...others] = output.split('\n').filter(text => text !== '')
      expect([ended, others]).toEqual(['The gateway ended at start with 1:', []])
      const { msg } = JSON.parse(line) as { msg: string }
      expect(msg).toMatch(
        /^Configuration: DATABASE_URL leads to the database \w+ with the encoding LATIN1\. Create one .* Nothing was migrated, credited or signed\.$/,
      )
      expect(msg).toContain('TICKET_SIGNER_KEY (or TICKET_SIGNER_ADDRESS) is that of')
      expect(await empty.tables()).toEqual([])
    } finally {
      await empty.drop()
    }
  })

  test('is refused for an unusable address, an unreachable chain or a wrong role, before any migration', async () => {
    const empty = await createEmpty('UTF8')
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const nothing = 'Nothing was migrated, credited or signed.'
    const owner = { DATABASE_URL: empty.url, MIGRATION_DATABASE_URL: empty.url }
    const { username, password } = new URL(database.url)
    const other = Object.assign(new URL(empty.url), { username, password }).href
    const cases: [Record<string, string>, string][] = [
      [{ PORT: String(port) }, `PORT: 127.0.0.1 port ${port} cannot be listened on (EADDRINUSE). `],
      [{ HOST: 'gateway.invalid' }, 'HOST: "gateway.invalid" is no address of this machine (ENOTFOUND). '],
      [{ CHAIN_RPC_URL: 'http://127.0.0.1:1/hunter2' }, 'CHAIN_RPC_URL: no answer ('],
      [{ RUNTIME_ROLE: 'nobody_1' }, 'RUNTIME_ROLE: the role nobody_1 that gateways run as does not exist. '],
      [
        { MIGRATION_DATABASE_URL: other },
        'MIGRATION_DATABASE_URL is of a role that may not change the schema (',
      ],
    ]
    try {
      for (const [env, sentence] of cases) {
        const started = startTestGateway({ chain, database, env: { ...environment, ...owner, ...env } })
        const message = await started.then(
          () => 'ready',
          (error: Error) => error.message,
        )
        expect(message).toMatch(`Configuration: ${sentence}`)
        expect(message).toMatch(/^[^\n]+\.$/)
        expect(message).not.toContain('hunter2')
        if (!/ROLE|MIGRATION/.test(sentence)) expect(message.endsWith(nothing)).toBe(true)
        expect(await empty.tables()).toEqual([])
      }
    } finally {
      taken.close()
      await empty.drop()
    }
  })

  test('continues while the external signer of tickets is unreachable, with a warning', async () => {
    const TICKET_SIGNER_ADDRESS = privateKeyToAccount(chain.ticketSignerKey).address
    const signer = { TICKET_SIGNER_KEY: '', TICKET_SIGNER_URL: 'http://127.0.0.1:1', TICKET_SIGNER_ADDRESS }
    const gateway = await startTestGateway({ chain, database, env: { ...environment, ...signer } })
    await gateway.gateway.stop()
    const findings = await checkEverything({ ...environment, ...signer })
    expect(findings.find(({ check }) => check === 'ticket signer')).toMatchObject({
      status: 'warning',
      found: 'TICKET_SIGNER_URL: the external signer does not sign now.',
    })
    const stranger = await checkEverything({
      ...environment,
      ...signer,
      TICKET_SIGNER_ADDRESS: chain.contracts.usdc,
    })
    expect(judged(stranger, 'failed')).toEqual(['ticket signer'])
  })

  test('continues without the key of the signer, and with settings that name no chain and no token', async () => {
    const { CHAIN_ID: _, USDC_ADDRESS: __, TICKET_SIGNER_KEY: ___, ...less } = environment
    const gateway = await startTestGateway({ chain, database, env: { ...less, TICKET_SIGNER_KEY: '' } })
    await gateway.gateway.stop()
    expect(judged(await checkEverything(less), 'warning')).toEqual(
      expect.arrayContaining(['chain id', 'token of the vault', 'ticket signer']),
    )
  })
})

/** Creates an empty database with an encoding, for its owner. */
async function createEmpty(encoding: 'LATIN1' | 'UTF8') {
  const name = `empty_${randomBytes(4).toString('hex')}`
  const admin = async (statement: string, at = database.ownerUrl) => {
    const client = new pg.Client({ connectionString: at })
    await client.connect()
    try {
      return (await client.query<{ name: string }>(statement)).rows
    } finally {
      await client.end()
    }
  }
  await admin(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
  const url = new URL(database.ownerUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    tables: () => admin("select tablename as name from pg_tables where schemaname = 'public'", url.href),
    drop: () => admin(`drop database ${name} with (force)`),
  }
}
