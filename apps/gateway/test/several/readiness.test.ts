import type { ErrorBody } from '@farebox/wire/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain } from '../kit/chain/test-chain.ts'
import { sendToVault } from '../kit/chain/vault-owner.ts'
import { createTestDatabase, overTcp } from '../kit/database/test-database.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { keepLog } from '../kit/log-lines.ts'
import { send } from '../kit/network/http.ts'
import { startTcpProxy, type TcpProxy } from '../kit/network/tcp-proxy.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { type SoldService, sellService } from '../kit/world/sold-service.ts'

/** Within which a gateway that cannot serve says so. */
const NOTICED_MS = 5_000
const READ_TIMES = 100
const METRICS_TOKEN = 'a token of the metrics'

type Checks = Record<'database' | 'migrations' | 'clock' | 'chain', boolean>
const ALL: Checks = { database: true, migrations: true, clock: true, chain: true }

let on: TestGateway
let node: RpcProxy
/** The only ways to the database and to the node. */
let lines: { readonly database: TcpProxy; readonly node: TcpProxy }
let aheadMs = 0
let sold: SoldService
let payer: Payer
const kept = keepLog('info')
let rpcRequests = 0
const countRequest = () => {
  rpcRequests += 1
  return undefined
}
beforeAll(async () => {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  node = await startRpcProxy(chain.rpcUrl)
  const databaseUrl = overTcp(database.url)
  lines = {
    database: await startTcpProxy(portOf(overTcp(database.url))),
    node: await startTcpProxy(portOf(node.url)),
  }
  databaseUrl.port = String(lines.database.port)
  on = await startTestGateway({
    chain,
    database: { ...database, url: databaseUrl.href },
    log: kept.log,
    machineClock: { ...systemClock, now: () => Date.now() + aheadMs },
    env: { METRICS_TOKEN, CHAIN_RPC_URL: lines.node.origin, FOLLOWER_INTERVAL_SECONDS: '600' },
  })
  sold = await sellService(on)
  payer = await newPayer(on, '1')
})
afterAll(async () => {
  await sold.upstream.stop()
  await on.stop()
  await Promise.all([node, lines.database, lines.node].map(part => part.stop()))
})
const portOf = (url: string | URL) => () => Number(new URL(url).port)
beforeEach(() => {
  aheadMs = 0
  node.misbehave({ alter: countRequest })
})

/** Returns the status and the checks of the gateway. */
async function ready() {
  const { status, body } = await send<{ checks: Checks } & ErrorBody>(on.url, '/ready')
  return { status, checks: body.checks ?? body.detail.checks, message: body.message }
}

/** Waits until readiness is as expected; fails if that takes five seconds. */
async function becomes(expected: { status: number; checks: Partial<Checks> }) {
  const from = performance.now()
  await until(`it is ${JSON.stringify(expected)}`, async () => {
    const { status, checks } = await ready()
    // What is not to stop paid calls does not for a moment.
    if (expected.checks.chain === false) expect(status).toBe(200)
    const wanted = JSON.stringify({ ...ALL, ...expected.checks })
    return status === expected.status && JSON.stringify({ ...ALL, ...checks }) === wanted
  })
  expect(performance.now() - from).toBeLessThan(NOTICED_MS)
}

const call = async () => (await sold.call(payer, { idempotencyKey: crypto.randomUUID() })).status

test('GET /ready sends the node no requests', async () => {
  await becomes({ status: 200, checks: {} })
  const before = rpcRequests
  for (let count = 0; count < READ_TIMES; count += 1) expect((await ready()).status).toBe(200)
  expect(rpcRequests - before).toBeLessThan(READ_TIMES / 10)
})

describe('GET /ready is 503 within five seconds, and names the check, when', () => {
  const terminate = () =>
    on.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  const setReadOnly = async (value: 'on' | 'off') => {
    const [row] = await on.sql<{ name: string }>('select current_database() as name')
    await on.sql(`alter database ${row?.name} set default_transaction_read_only = ${value}`)
    await terminate()
  }

  test.for<[string, keyof Checks | 'all', () => unknown, () => unknown]>([
    [
      'the database accepts and never answers',
      'all',
      () => lines.database.bend({ kind: 'black hole' }),
      () => lines.database.heal(),
    ],
    ['the database is read-only', 'database', () => setReadOnly('on'), () => setReadOnly('off')],
    [
      'its role may not append calls',
      'database',
      () => on.sql('revoke insert on ledger_log from farebox_gateway'),
      () => on.sql('grant insert on ledger_log to farebox_gateway'),
    ],
    [
      'a migration is missing',
      'migrations',
      () => on.sql("update schema_migrations set name = 'x' || name where name like '0001%'"),
      () => on.sql("update schema_migrations set name = substr(name, 2) where name like 'x0001%'"),
    ],
    [
      'its clock is ten minutes ahead',
      'clock',
      async () => {
        aheadMs = 600_000
      },
      async () => {
        aheadMs = 0
      },
    ],
    [
      'its clock is ten minutes behind',
      'clock',
      async () => {
        aheadMs = -600_000
      },
      async () => {
        aheadMs = 0
      },
    ],
  ])('%s', async ([, check, fail, heal]) => {
    await becomes({ status: 200, checks: {} })
    await fail()
    try {
      // Nothing is known of a database that cannot be asked; that it is so is the reason.
      const unknown = { database: false, migrations: false, clock: false }
      await becomes({ status: 503, checks: check === 'all' ? unknown : { [check]: false } })
      const { message } = await ready()
      const unreachable = /^The database is [^.]*\.$/
      expect(message).toMatch(
        { all: unreachable, database: unreachable, migrations: /igrations/, clock: /clocks/, chain: /-/ }[
          check
        ],
      )
    } finally {
      await heal()
    }
    await becomes({ status: 200, checks: {} })
    expect(await call()).toBe(200)
  })
})

test('a clock ten seconds off is a metric and one line with advice, but no failure', async () => {
  const lead = async () => {
    await ready()
    return (await scrape(on, METRICS_TOKEN)).value('farebox_clock_ahead_seconds')
  }
  const told = () => kept.lines.filter(({ msg }) => msg.startsWith('the clock of this machine is 10 s ahead'))
  expect(Math.abs(await lead())).toBeLessThan(1)
  aheadMs = 10_000
  await until('the metric says so', async () => (await lead()) > 9)
  expect((await ready()).status).toBe(200)
  expect(told()).toMatchObject([{ level: 'warn', msg: expect.stringContaining('run NTP on both') }])
  aheadMs = 0
  await until('the metric says so', async () => (await lead()) < 1)
  expect(told()).toHaveLength(1)
})

describe('GET /ready stays 200, and paid calls go on, while', () => {
  test.for<[string, () => unknown, () => unknown]>([
    ['the node refuses connections', () => node.misbehave({ refuses: true }), () => node.misbehave()],
    [
      'the node accepts and never answers',
      () => lines.node.bend({ kind: 'black hole' }),
      () => lines.node.heal(),
    ],
  ])('%s; it reports it', async ([, fail, heal]) => {
    await becomes({ status: 200, checks: {} })
    await fail()
    try {
      await becomes({ status: 200, checks: { chain: false } })
      expect(await call()).toBe(200)
    } finally {
      await heal()
    }
    await becomes({ status: 200, checks: {} })
  })

  test('the vault is paused', async () => {
    await sendToVault(on.chain, 'pause')
    await on.chain.mine(2)
    try {
      expect(await ready()).toMatchObject({ status: 200, checks: ALL })
      expect(await call()).toBe(200)
    } finally {
      await sendToVault(on.chain, 'unpause')
    }
  })
})
