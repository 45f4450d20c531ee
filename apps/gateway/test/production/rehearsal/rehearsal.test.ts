import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUsdc } from '@farebox/money'
import { type Address, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../src/adapters/free-port.ts'
import { anvilClient } from '../../../src/dev/anvil.ts'
import { startTestChain, type TestChain } from '../../kit/chain/test-chain.ts'
import { type GatewayProcess, startGatewayProcess } from '../../kit/gateway/gateway-process.ts'
import { until } from '../../kit/until.ts'
import { type SoldService, sellService } from '../../kit/world/sold-service.ts'
import { newWallet } from '../../kit/world/wallets.ts'
import { vaultTicket } from '../../kit/world/withdrawals.ts'
import { arrive, balanceOf, mint, type Person } from '../../kit/world/world.ts'
import { deposit, withdraw } from '../kit.ts'
import { query } from './database.ts'
import { type Front, startFront } from './front.ts'
import { type Machine, startMachine } from './machine.ts'

/** Confirmations of mainnet, the default of production, on a chain with faster blocks (seconds). */
const CONFIRMATIONS = 12
const BLOCK_SECONDS = 0.25
/** Bound of every wait, and of the steps that wait for several things, in ms. */
const WAIT_MS = 60_000
const STEP_MS = 180_000
const OWNER_PASSWORD = randomBytes(12).toString('hex')
const GATEWAY_PASSWORD = randomBytes(12).toString('hex')
/** The vault's owner: a wallet that is a contract, for which the node sends. */
const MULTISIG: Address = '0x000000000000000000000000000000000000a515'

let machine: Machine
let chain: TestChain
let front: Front
let gateways: readonly [GatewayProcess, GatewayProcess]
let sold: SoldService
let owner: Person
let agent: { readonly token: string }
const ended: (() => Promise<void>)[] = []

beforeAll(async () => {
  machine = await startMachine()
  ended.push(() => machine.stop())
}, STEP_MS)
afterAll(async () => {
  for (const end of ended.toReversed()) await end()
}, STEP_MS)

const url = (role: string, password: string) => machine.database.url(role, password)
/** The balancer, as callers see it. */
const on = () => ({ url: front.url, chain })

test('two roles and a database are made by the documented statements, and are reached by verified TLS', async () => {
  const { document, database } = machine
  for (const [statement, password] of [
    ['create role farebox_owner', OWNER_PASSWORD],
    ['create role farebox_gateway', GATEWAY_PASSWORD],
    ['create database farebox', ''],
  ] as const)
    await query(database.superuser, document.take(statement, {}, password === '' ? {} : { '...': password }))
  const session = `select rolsuper as super, ssl from pg_roles, pg_stat_ssl
    where rolname = current_user and pid = pg_backend_pid()`
  for (const [role, password] of [
    ['farebox_owner', OWNER_PASSWORD],
    ['farebox_gateway', GATEWAY_PASSWORD],
  ] as const)
    expect(await query(url(role, password), session)).toEqual([{ super: false, ssl: true }])
})

test('a vault is deployed by the documented command, for a wallet that is a contract', async () => {
  const operator = generatePrivateKey()
  await machine.keep('OPERATOR_KEY', operator)
  chain = await startTestChain({
    requiredConfirmations: CONFIRMATIONS,
    blockSeconds: BLOCK_SECONDS,
    async deployVault({ rpcUrl, usdc, signer }) {
      const client = anvilClient(rpcUrl)
      await client.setBalance({ address: privateKeyToAccount(operator).address, value: parseEther('1') })
      await client.setCode({ address: MULTISIG, bytecode: '0x00' })
      machine.settings.CHAIN_RPC_URL = rpcUrl
      const order = {
        values: { USDC_ADDRESS: usdc },
        changes: { '0xMULTISIG': MULTISIG, '--signer 0x...': `--signer ${signer}` },
      }
      expect(await machine.operate('farebox vault deploy', order)).toContain('Nothing was sent.')
      order.changes['--signer 0x...'] += ' --send'
      const { OPERATOR_KEY_FILE = '' } = machine.environment()
      const printed = await machine.operate('farebox vault deploy', { ...order, env: { OPERATOR_KEY_FILE } })
      for (const [, name = '', value = ''] of printed.matchAll(/^([A-Z_]+)=(\S+)$/gm))
        machine.settings[name] = value
      return machine.settings.VAULT_ADDRESS as Address
    },
  })
  ended.push(() => chain.stop())
  expect(machine.settings).toMatchObject({
    CHAIN_ID: '31337',
    FOLLOWER_START_BLOCK: expect.stringMatching(/^\d+$/),
  })
  delete machine.settings.OPERATOR_KEY
})

test('the documented migration makes the schema, and the documented check finds nothing wrong', async () => {
  const [ownerUrl, gatewayUrl] = [
    url('farebox_owner', OWNER_PASSWORD),
    url('farebox_gateway', GATEWAY_PASSWORD),
  ]
  const migrated = await machine.operate('npm run migrate', { values: { MIGRATION_DATABASE_URL: ownerUrl } })
  expect(migrated).toContain('The role farebox_gateway has the rights that a gateway needs.')
  await machine.keep('DATABASE_URL', gatewayUrl)
  await machine.keep('JWT_SECRET')
  await machine.keep('ENCRYPTION_KEY')
  await machine.keep('TICKET_SIGNER_KEY', chain.ticketSignerKey)
  const checked = await machine.operate('scripts/farebox check', { env: machine.environment() })
  expect(checked).toMatch(/^\d+ ok, \d+ warnings, 0 not ok\.$/m)
})

test(
  'two gateways start by the documented command behind the balancer, with their secrets in files',
  async () => {
    const ports = [await freePort(), await freePort()] as const
    const directory = join(machine.place, 'front')
    await mkdir(directory)
    front = await startFront(directory, ports)
    ended.push(() => front.stop())
    const database = {
      url: url('farebox_gateway', GATEWAY_PASSWORD),
      ownerUrl: machine.database.superuser.replace(/postgres$/, 'farebox'),
      drop: async () => undefined,
    }
    const start = (port: number) =>
      startGatewayProcess({
        chain,
        database,
        command: machine.document.take('npm start', machine.settings, {
          'PORT=8402 npm': `PORT=${port} exec npm`,
        }),
        env: environment(),
      })
    gateways = await Promise.all([start(ports[0]), start(ports[1])])
    ended.push(async () => {
      for (const gateway of gateways) await gateway.stop()
    })
    for (const gateway of gateways) expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
    await until(
      'the balancer answers',
      async () => (await fetch(`${front.url}/ready`)).status === 200,
      WAIT_MS,
    )
  },
  STEP_MS,
)

test(
  'a deposit is credited after twelve confirmations, and pays calls through the balancer',
  async () => {
    sold = await sellService(on())
    ended.push(() => sold.upstream.stop())
    owner = await arrive(on())
    await deposit(on(), owner, '5')
    const { number } = await chain.adapter.head()
    const [credited] = await gateways[0].sql<{ block: string }>(
      'select block_number as block from vault_deposits',
    )
    expect(number - BigInt(credited?.block ?? 0)).toBeGreaterThanOrEqual(CONFIRMATIONS - 1)

    agent = await mint(on(), owner)
    const answers = await Promise.all(Array.from({ length: 200 }, () => sold.call(agent)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await balanceOf(on(), owner)).toMatchObject({ available: parseUsdc('3') })
    expect(await balanceOf(on(), sold.provider)).toMatchObject({ receivable: parseUsdc('2') })
  },
  STEP_MS,
)

test(
  'a provider withdraws what it has earned, and the vault pays it',
  async () => {
    const { ticket } = await withdraw(on(), sold.provider, '0.5')
    if (ticket === null) throw new Error('There is no ticket.')
    await chain.redeem(vaultTicket(ticket), ticket.signature as Address)
    const { address } = sold.provider.account
    expect(await chain.usdcOf(address)).toBe(parseUsdc('0.5'))
    await until('it is booked', async () => (await balanceOf(on(), sold.provider)).locked === 0n, WAIT_MS)
    expect(await balanceOf(on(), sold.provider)).toMatchObject({ receivable: parseUsdc('1.5') })
  },
  STEP_MS,
)

/** Settings of the gateways: those of the machine, and what a rehearsal on loopback needs. */
function environment(): Record<string, string> {
  const secrets = { DATABASE_URL: '', JWT_SECRET: '', ENCRYPTION_KEY: '', TICKET_SIGNER_KEY: '' }
  return Object.assign(secrets, machine.environment(), {
    PUBLIC_URL: front.url,
    TRUST_PROXY: '1',
    ADMIN_WALLETS: admin.address,
    REQUIRED_CONFIRMATIONS: '',
    FOLLOWER_INTERVAL_SECONDS: '0.5',
    RECONCILE_INTERVAL_SECONDS: '1',
    CALL_WAIT_SECONDS_MAX: '60',
    LEASE_SECONDS: '5',
    STOP_PAUSE_SECONDS: '4',
  })
}
const admin = newWallet()
