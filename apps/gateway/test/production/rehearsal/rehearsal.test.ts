import { randomBytes } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUsdc } from '@farebox/money'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../src/adapters/free-port.ts'
import type { TestChain } from '../../kit/chain/test-chain.ts'
import { type GatewayProcess, startGatewayProcess } from '../../kit/gateway/gateway-process.ts'
import { answerOrCut } from '../../kit/network/http.ts'
import { until } from '../../kit/until.ts'
import type { Payer } from '../../kit/world/payer.ts'
import { type SoldService, sellService } from '../../kit/world/sold-service.ts'
import { newWallet } from '../../kit/world/wallets.ts'
import { type Opened, vaultTicket } from '../../kit/world/withdrawals.ts'
import { balanceOf } from '../../kit/world/world.ts'
import { takeTime } from '../../several/fixture.ts'
import { askUntilOver, startLoad, timesAsked } from '../../several/load.ts'
import { withdraw } from '../kit.ts'
import { query } from './database.ts'
import { CONFIRMATIONS, environmentOf, METRICS_TOKEN, rotateSigner, startMainnet } from './deployment.ts'
import { type Front, startFront } from './front.ts'
import { type Machine, startMachine } from './machine.ts'
import { callsOf, countAll, twoPayers } from './payers.ts'

/** Bound of every wait, and of the steps that wait for several things, in ms. */
const WAIT_MS = 60_000
const STEP_MS = 180_000
/** Calls answered before something happens, and after it. */
const ANSWERED_MIN = 20
const UPSTREAM_MS_MAX = 100
const OWNER_PASSWORD = randomBytes(12).toString('hex')
const GATEWAY_PASSWORD = randomBytes(12).toString('hex')

let machine: Machine
let chain: TestChain
let front: Front
let gateways: readonly [GatewayProcess, GatewayProcess]
let sold: SoldService
let payers: readonly [Payer, Payer]
const admin = newWallet()
const ended: (() => Promise<void>)[] = []

beforeAll(async () => {
  machine = await startMachine()
  ended.push(() => machine.stop())
}, STEP_MS)
afterAll(async () => {
  for (const end of ended.toReversed()) await end()
}, STEP_MS)

const url = (role: string, password: string) => machine.database.url(role, password)
/** Callers take turns between the payers. */
const payerOf = (key: string) => payers[Number(key.split(' ')[1]) % 2 === 0 ? 0 : 1]

/** Redeems a ticket at the vault, and waits until it is booked. */
async function redeem(ticket: Opened['ticket']): Promise<void> {
  if (ticket === null) throw new Error('There is no ticket.')
  await chain.redeem(vaultTicket(ticket), ticket.signature as Hex)
  await until('it is booked', async () => (await balanceOf(on(), sold.provider)).locked === 0n, WAIT_MS)
}

/** Stops both gateways in order. */
async function stopAll(): Promise<void> {
  const all = await Promise.all(gateways.map(gateway => gateway.sigterm()))
  expect(all.map(({ code }) => code)).toEqual([0, 0])
}

async function startAll(): Promise<void> {
  await Promise.all(gateways.map(gateway => gateway.restart()))
  await untilServed()
}

const untilServed = () =>
  until('the balancer answers', async () => (await fetch(`${front.url}/ready`)).status === 200, WAIT_MS)

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
  chain = await startMainnet(machine)
  ended.push(() => chain.stop())
  expect(machine.settings).toMatchObject({
    CHAIN_ID: '31337',
    FOLLOWER_START_BLOCK: expect.stringMatching(/^\d+$/),
  })
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
        env: environmentOf(machine, front.url, admin.address),
      })
    gateways = await Promise.all([start(ports[0]), start(ports[1])])
    ended.push(async () => {
      for (const gateway of gateways) await gateway.stop()
    })
    for (const gateway of gateways) expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
    await untilServed()
  },
  STEP_MS,
)

test(
  'a deposit is credited after twelve confirmations, and pays calls through the balancer',
  async () => {
    sold = await sellService(on())
    ended.push(() => sold.upstream.stop())
    payers = await twoPayers(on(), '20')
    const { number } = await chain.adapter.head()
    const [credited] = await gateways[0].sql<{ block: string }>(
      'select block_number as block from vault_deposits',
    )
    expect(number - BigInt(credited?.block ?? 0)).toBeGreaterThanOrEqual(CONFIRMATIONS - 1)

    const calls = Array.from({ length: 100 }, () => payers.map(payer => sold.call(payer)))
    const answers = await Promise.all(calls.flat())
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const { owner } of payers)
      expect(await balanceOf(on(), owner)).toMatchObject({ available: parseUsdc('19') })
    for (const gateway of gateways) expect(await callsOf(gateway, METRICS_TOKEN)).toBeGreaterThan(0)
    expect(await balanceOf(on(), sold.provider)).toMatchObject({ receivable: parseUsdc('2') })
  },
  STEP_MS,
)

test(
  'a provider withdraws what it has earned, and the vault pays it',
  async () => {
    const { ticket } = await withdraw(on(), sold.provider, '0.5')
    await redeem(ticket)
    const { address } = sold.provider.account
    expect(await chain.usdcOf(address)).toBe(parseUsdc('0.5'))
    expect(await balanceOf(on(), sold.provider)).toMatchObject({ receivable: parseUsdc('1.5') })
  },
  STEP_MS,
)

test(
  'the encryption key and the signer of tickets are rotated as documented, and an open ticket is signed again',
  async () => {
    const open = () => withdraw(on(), sold.provider, '0.25', 'open while the signer is replaced')
    const before = (await open()).ticket?.signature
    await stopAll()
    const { ENCRYPTION_KEY = '' } = machine.settings
    await rename((ENCRYPTION_KEY as { file: string }).file, join(machine.place, 'encryption_key_before'))
    await machine.keep('ENCRYPTION_KEY')
    const values = { ENCRYPTION_KEY_BEFORE: { file: join(machine.place, 'encryption_key_before') } }
    expect(await machine.operate('reseal.ts', { values })).toMatch(
      /^signing_keys\.sealed_private_key: [1-9]/m,
    )
    await rotateSigner(machine, chain)
    await startAll()
    await until(
      'the ticket is signed again',
      async () => (await open()).ticket?.signature !== before,
      WAIT_MS,
    )
    await redeem((await open()).ticket)
    expect((await sold.call(payers[0])).status).toBe(200)
  },
  STEP_MS,
)

test(
  'a gateway killed under calls loses none of them, and charges none twice',
  async () => {
    takeTime(sold, UPSTREAM_MS_MAX)
    const [from, charged] = [sold.upstream.calls.length, await countAll(gateways[0], payers)]
    const load = startLoad('killed', idempotencyKey =>
      askUntilOver(() => sold.call(payerOf(idempotencyKey), { idempotencyKey })),
    )
    await load.more(ANSWERED_MIN)
    await gateways[0].kill9()
    await load.more(ANSWERED_MIN)
    await load.end()
    await gateways[0].restart()
    await gateways[0].assertBooks()
    const paid = [...load.answers.values()].filter(answer => answer?.status === 200)
    expect((await countAll(gateways[0], payers)) - charged).toBe(paid.length)
    expect(new Set(paid.map(answer => answer?.body.invocationId)).size).toBe(paid.length)
    expect(new Set(timesAsked(sold.upstream, from))).toEqual(new Set([1]))
  },
  STEP_MS,
)

test(
  'gateways replaced one by one under calls fail none of them',
  async () => {
    const [from, charged] = [sold.upstream.calls.length, await countAll(gateways[0], payers)]
    const load = startLoad('rolling', idempotencyKey =>
      answerOrCut(sold.call(payerOf(idempotencyKey), { idempotencyKey })),
    )
    for (const gateway of gateways) {
      await load.more(ANSWERED_MIN)
      expect((await gateway.sigterm()).code).toBe(0)
      await gateway.restart()
      const isServing = async () => (await callsOf(gateway, METRICS_TOKEN)) > 0
      await until('the balancer sends it calls again', isServing, WAIT_MS)
    }
    await load.more(ANSWERED_MIN)
    await load.end()
    expect([...load.answers].filter(([, answer]) => answer?.status !== 200)).toEqual([])
    expect((await countAll(gateways[0], payers)) - charged).toBe(load.answers.size)
    expect(timesAsked(sold.upstream, from)).toEqual(Array(load.answers.size).fill(1))
  },
  STEP_MS,
)
