import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { post } from '../../../test/kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { startTarget } from '../../../test/kit/provider/test-target.ts'
import {
  expectGenuine,
  type Received,
  type Receiver,
  startReceiver,
} from '../../../test/kit/provider/webhook-receiver.ts'
import { until } from '../../../test/kit/until.ts'
import {
  arrive,
  deposit,
  invoke,
  mint,
  ownerWith,
  type Person,
  register,
} from '../../../test/kit/world/world.ts'

const PRICE_USDC = '0.010000'

let on: TestGateway
let upstream: TestProvider
let provider: Person
let serviceId: string
const receivers: Receiver[] = []

beforeAll(async () => {
  on = await startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '0.3' } })
  upstream = await startProvider()
  provider = await arrive(on)
  serviceId = await register(on, provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  for (const receiver of receivers) await receiver.stop()
  await upstream.stop()
})

/** Subscribes a wallet to some events; received ones are verified as receivers do. */
async function listen(who: Person, ...events: string[]) {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const { body } = await post<{ secret: string; webhook: { id: string } }>(on, '/webhooks', {
    token: who.token,
    body: { url: receiver.url, events },
  })
  return {
    /** Waits for a number of events and returns all. */
    async reported(count: number): Promise<Received['payload'][]> {
      await until(`${count} events are delivered`, () => receiver.received.length >= count)
      for (const got of receiver.received) expectGenuine(got, body.secret)
      return receiver.received.map(({ payload }) => payload)
    },
    /** Waits until all announced events are delivered. */
    async settled(): Promise<Received['payload'][]> {
      await until('nothing waits', async () => {
        const waiting = await on.sql(
          "select 1 from webhook_deliveries where webhook_id = $1 and status = 'pending'",
          [body.webhook.id],
        )
        return waiting.length === 0
      })
      return this.reported(0)
    },
  }
}

const call = (credential: { token: string }, more: object = {}) =>
  invoke(on, credential, { serviceId, costUsdc: PRICE_USDC, payload: { body: {} }, ...more })

test('deposit.credited: once per deposit, with the data of the vault event', async () => {
  const owner = await arrive(on)
  const hooks = await listen(owner, 'deposit.credited')
  await deposit(on, owner, '2.5')
  const [event] = await hooks.reported(1)
  const [deposited] = await on.sql<{ tx_hash: string }>('select tx_hash from deposits where wallet = $1', [
    owner.account.address.toLowerCase(),
  ])
  expect(event).toMatchObject({
    type: 'deposit.credited',
    data: {
      walletAddress: owner.account.address,
      amountUsdc: '2.500000',
      txHash: deposited?.tx_hash,
      eventKey: expect.stringContaining(`:${deposited?.tx_hash}:`),
    },
  })
  await deposit(on, owner, '1')
  const events = await hooks.reported(2)
  expect(events.map(({ data }) => data.amountUsdc)).toEqual(['2.500000', '1.000000'])
  expect(await hooks.settled()).toHaveLength(2)
})

test('balance.low: each time the balance crosses the threshold, not for every call below it', async () => {
  const owner = await ownerWith(on, '1.015')
  const credential = await mint(on, owner)
  const hooks = await listen(owner, 'balance.low')
  for (let index = 0; index < 4; index += 1) expect((await call(credential)).status).toBe(200)
  expect(await hooks.reported(1)).toMatchObject([
    {
      type: 'balance.low',
      data: {
        balanceUsdc: '0.995000',
        availableUsdc: '0.995000',
        heldUsdc: '0.000000',
        thresholdUsdc: '1.000000',
      },
    },
  ])
  await deposit(on, owner, '0.03')
  await call(credential)
  expect(await hooks.reported(2)).toHaveLength(2)
  expect(await hooks.settled()).toHaveLength(2)
})

describe('credential.exhausted', () => {
  test('is announced when the last call is used, and not again for every rejected call', async () => {
    const owner = await ownerWith(on, '5')
    const credential = await mint(on, owner, { maxCalls: 2 })
    const hooks = await listen(owner, 'credential.exhausted')
    await call(credential)
    await call(credential)
    for (let index = 0; index < 3; index += 1) {
      expect(await call(credential)).toMatchObject({ body: { detail: { limit: 'credential_calls' } } })
    }
    await hooks.reported(1)
    expect(await hooks.settled()).toMatchObject([
      { data: { credentialId: credential.id, limit: 'credential_calls', callsUsed: 2, maxCalls: 2 } },
    ])
  })

  test('is announced when less credit is left than a call needs, and when none is left', async () => {
    const owner = await ownerWith(on, '5')
    const short = await mint(on, owner, { creditLimit: 0.025 })
    const even = await mint(on, owner, { creditLimit: 0.02 })
    const hooks = await listen(owner, 'credential.exhausted')
    for (const credential of [short, even]) {
      for (let index = 0; index < 4; index += 1) await call(credential)
    }
    await hooks.reported(2)
    const reported = (await hooks.settled()).map(({ data }) => [
      data.credentialId,
      data.limit,
      data.remainingUsdc,
    ])
    expect(reported.toSorted()).toEqual(
      [
        [short.id, 'credential_credit', '0.005000'],
        [even.id, 'credential_credit', '0.000000'],
      ].toSorted(),
    )
  })
})

test('invocation.failed: for a failed call, retryable or final, and not for a successful one', async () => {
  const owner = await ownerWith(on, '5')
  const credential = await mint(on, owner)
  const hooks = await listen(owner, 'invocation.failed')
  await call(credential)
  upstream.respondWith((_, response) => sendJson(response, 500, {}))
  const first = await call(credential)
  upstream.respondWith((_, response) => sendJson(response, 404, {}))
  const second = await call(credential)
  upstream.respondWith((_, response) => sendJson(response, 200, {}))
  const reported = (await hooks.reported(2)).map(({ data }) => data)
  const common = { credentialId: credential.id, serviceId, errorCode: 'UPSTREAM_ERROR', attempts: 1 }
  expect(reported).toContainEqual(
    expect.objectContaining({
      ...common,
      invocationId: first.body.detail.invocationId,
      status: 'FAILED_RETRYABLE',
    }),
  )
  expect(reported).toContainEqual(
    expect.objectContaining({
      ...common,
      invocationId: second.body.detail.invocationId,
      status: 'FAILED_FINAL',
    }),
  )
  expect(await hooks.settled()).toHaveLength(2)
})

test('service.down and service.up: when probes find the last target down and the first one up', async () => {
  const owner = await arrive(on)
  const hooks = await listen(owner, 'service.down', 'service.up')
  const targets = await Promise.all([startTarget(), startTarget()])
  const id = await register(on, owner, { targets: targets.map(({ url }) => url), priceUsdc: PRICE_USDC })
  const healthy = async (count: number) =>
    until(`${count} targets are healthy`, async () => {
      const rows = await on.sql('select 1 from service_targets where service_id = $1 and is_healthy', [id])
      return rows.length === count
    })
  await healthy(2)
  targets[0].answer(503)
  await healthy(1)
  expect(await hooks.settled()).toEqual([])
  targets[1].answer(503)
  await hooks.reported(1)
  targets[0].answer(200)
  await hooks.reported(2)
  targets[1].answer(200)
  await healthy(2)
  const events = await hooks.settled()
  expect(
    events.map(({ type, data }) => [type, data.serviceId, data.healthyTargets, data.totalTargets]),
  ).toEqual([
    ['service.down', id, 0, 2],
    ['service.up', id, 1, 2],
  ])
  for (const target of targets) await target.stop()
})
