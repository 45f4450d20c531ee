import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../kit/database/test-database.ts'
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { chatBody } from '../kit/llm/llm-market.ts'
import { CHARGE, EVENTS, type OpenAnswer, type RawModel, startRawModel } from '../kit/llm/raw-model.ts'
import { type Listener, listen } from '../kit/llm/stream-listener.ts'
import { type FaultProxy, startFaultProxy } from '../kit/network/database-proxy.ts'
import { until } from '../kit/until.ts'
import { countCharges, newPayer, type Payer } from '../kit/world/payer.ts'
import { arrive, balanceOf } from '../kit/world/world.ts'
import { START_TIMEOUT_MS } from './fixture.ts'

const LEASE_SECONDS = 6
const FUNDS = 1_000_000n
const FUNDS_USDC = '1'
const STREAMS_PER_GATEWAY = 5
const TEST_TIMEOUT_MS = 180_000

/** Three gateways whose one way to their database can fail, and a model. */
let proxy: FaultProxy
let first: GatewayProcess
let gateways: GatewayProcess[]
let model: RawModel

beforeAll(async () => {
  const database = await createTestDatabase()
  proxy = await startFaultProxy(database.url)
  const via = () => proxy.url
  const env = {
    LEASE_SECONDS: String(LEASE_SECONDS),
    PROBE_INTERVAL_SECONDS: '3600',
    RECONCILE_INTERVAL_SECONDS: '3600',
  }
  first = await startGatewayProcess({ env, database, via })
  const more = [startGatewayProcess({ share: first, via }), startGatewayProcess({ share: first, via })]
  gateways = [first, ...(await Promise.all(more))]
  model = await startRawModel({ url: first.url, provider: await arrive(first) })
}, START_TIMEOUT_MS)
afterEach(() => first.assertBooks())
afterAll(async () => {
  await model.stop()
  for (const gateway of gateways.toReversed()) await gateway.stop()
  await proxy.stop()
})

const callsOf = (payer: Payer) =>
  first.sql<{ id: string; status: string; charged: string; by: string | null }>(
    `select i.id, i.status, i.charged::text, o.instance_id as by from invocations i
     left join open_calls o on o.invocation_id = i.id where i.credential_id = $1`,
    [payer.id],
  )

/** Opens streams at gateways; all begun, none over. */
async function openStreams(payer: Payer, on: readonly GatewayProcess[]): Promise<Listener[]> {
  model.begin()
  const callers = on.flatMap(gateway =>
    Array.from({ length: STREAMS_PER_GATEWAY }, () =>
      listen(gateway, payer, {
        serviceId: model.service,
        idempotencyKey: randomUUID(),
        payload: { body: chatBody({ stream: true }) },
      }),
    ),
  )
  await model.untilOpen(callers.length)
  await until('all have begun', () => callers.every(caller => caller.text() !== ''))
  return callers
}

const finish = (streams: readonly OpenAnswer[]) => {
  for (const { response } of streams) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
}

async function untilPassed(what: string, ms: number): Promise<void> {
  const from = performance.now()
  await until(what, () => performance.now() - from >= ms)
}

describe('streams that run while the database is unreachable', () => {
  test.for([
    ['refuses connections for less than a lease', 'refuse', 0.95],
    ['is silent for less than a lease', 'swallow', 0.95],
    ['refuses connections for more than a lease', 'refuse', 1.6],
  ] as const)(
    'are each paid once although it %s, whenever they end',
    { timeout: TEST_TIMEOUT_MS },
    async ([, fail, leases]) => {
      const payer = await newPayer(first, FUNDS_USDC)
      const callers = await openStreams(payer, gateways)
      const third = callers.length / 3
      proxy[fail]()
      finish(model.open.slice(0, third))
      await untilPassed('the database has been away', leases * LEASE_SECONDS * 1_000)
      proxy.pass()
      finish(model.open.slice(third, 2 * third))
      // Sweeps have their chance: leases that have lapsed while it was away, and those that lapse now.
      await untilPassed('more than a lease has passed', 1.5 * LEASE_SECONDS * 1_000)
      finish(model.open.slice(2 * third))
      await Promise.all(callers.map(caller => caller.over))
      await until('no call is open', async () => (await callsOf(payer)).every(({ by }) => by === null))

      const calls = await callsOf(payer)
      const ends = calls.map(({ status, charged }) => [status, BigInt(charged)])
      expect(ends).toEqual(callers.map(() => ['SUCCEEDED', CHARGE]))
      expect(await countCharges(first, payer.owner)).toBe(callers.length)
      const available = FUNDS - BigInt(callers.length) * CHARGE
      expect(await balanceOf(first, payer.owner)).toMatchObject({ available, held: 0n })
    },
  )
})

test('releases the calls of a killed gateway, but not those of the others', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const payer = await newPayer(first, FUNDS_USDC)
  const [one, two, three] = gateways as [GatewayProcess, GatewayProcess, GatewayProcess]
  const callers = await openStreams(payer, [one, two, three])
  await three.kill9()
  await until('its calls are released', async () => {
    const released = (await callsOf(payer)).filter(({ status }) => status === 'FAILED_RETRYABLE')
    return released.length === STREAMS_PER_GATEWAY
  })
  const open = (await callsOf(payer)).filter(({ by }) => by !== null)
  expect(open).toHaveLength(2 * STREAMS_PER_GATEWAY)
  expect(new Set(open.map(({ by }) => by)).size).toBe(2)
  finish(model.open)
  await Promise.all(callers.map(caller => caller.over))
  await until('no call is open', async () => (await callsOf(payer)).every(({ by }) => by === null))
  expect(await countCharges(first, payer.owner)).toBe(2 * STREAMS_PER_GATEWAY)
  await three.restart()
})

test('a gateway started after all were killed releases their calls', {
  timeout: TEST_TIMEOUT_MS,
}, async () => {
  const payer = await newPayer(first, FUNDS_USDC)
  const callers = await openStreams(payer, gateways)
  await Promise.all(gateways.map(gateway => gateway.kill9()))
  await first.restart()
  await until('all are released', async () =>
    (await callsOf(payer)).every(({ status }) => status === 'FAILED_RETRYABLE'),
  )
  await Promise.all(callers.map(caller => caller.over))
  expect(await balanceOf(first, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
})
