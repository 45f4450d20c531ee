import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { get, post, send } from '../kit/network/http.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { newPayer } from '../kit/world/payer.ts'
import { askChallenge } from '../kit/world/wallets.ts'
import { arrive, invoke, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.010000'
const HOUR_MS = 3_600_000
const LEASE_SECONDS = '2'

/** The wall clock of the gateway; the database and the chain have their own. */
let ahead = 0
const clock = { ...systemClock, now: () => Date.now() + ahead }

let gateway: TestGateway
let upstream: TestProvider
let service: string

beforeAll(async () => {
  gateway = await startTestGateway({ clock, env: { LEASE_SECONDS } })
  upstream = await startProvider()
  service = await register(gateway, await arrive(gateway), { targets: [upstream.url], priceUsdc: PRICE_USDC })
})
afterEach(async () => {
  ahead = 0
  await gateway.assertBooks()
})
afterAll(async () => {
  await upstream.stop()
  await gateway.stop()
})

const call = (credential: { token: string }, extra: Record<string, unknown> = {}) =>
  invoke(gateway, credential, {
    serviceId: service,
    costUsdc: PRICE_USDC,
    payload: { body: { q: 1 } },
    ...extra,
  })

describe.for([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
] as const)('failure 28: a clock that jumps an hour %s', ([, jumpMs]) => {
  test('does not end the lease of a running call: it is settled and charged once', async () => {
    const credential = await newPayer(gateway, '1')
    const held = holdAnswers(upstream)
    const running = call(credential, { idempotencyKey: 'running' })
    await until('the provider is asked', () => held.waiting() === 1)
    ahead = jumpMs
    // Longer than a lease: a sweep by this clock would have released the call by then.
    const before = await leaseOf()
    await until('the lease is renewed twice', async () => (await leaseOf()) - before > 2_000)
    held.release()
    expect(await running).toMatchObject({
      status: 200,
      body: { status: 'SUCCEEDED', chargedUsdc: PRICE_USDC },
    })
    expect((await call(credential, { idempotencyKey: 'running' })).headers['idempotent-replayed']).toBe(
      'true',
    )
    expect((await get(gateway, '/balance', { token: credential.owner.token })).body).toMatchObject({
      consumer_available_balance: '0.990000',
      consumer_held_balance: '0.000000',
    })
  })

  test('affects nothing that the database times: limits and revocations', async () => {
    const credential = await newPayer(gateway, '1', { rpm: 3 })
    expect((await call(credential)).status).toBe(200)
    ahead = jumpMs
    expect((await call(credential)).status).toBe(200)
    expect((await call(credential)).status).toBe(200)
    expect((await call(credential)).body.code).toBe('RATE_LIMITED')
    const path = `/credentials/agent/${credential.id}/revoke`
    expect((await post(gateway, path, { token: credential.owner.token })).status).toBe(200)
    expect((await call(credential)).body.code).toBe('CREDENTIAL_INACTIVE')
  })

  test('neither floods nor locks out the clients of a limit', async () => {
    const limited = await startTestGateway({ share: gateway, clock, env: { CHALLENGES_PER_MINUTE: '5' } })
    const ask = () => send(limited.url, `/api/v1/auth/challenge?address=0x${'1'.repeat(40)}`)
    try {
      const first = await Promise.all(Array.from({ length: 10 }, ask))
      expect(first.filter(({ status }) => status === 200)).toHaveLength(5)
      ahead = jumpMs
      const then = await Promise.all(Array.from({ length: 10 }, ask))
      // A real hour admits a minute's quota again, and no more; a jump admits nobody.
      expect(then.filter(({ status }) => status === 200)).toHaveLength(jumpMs > 0 ? 5 : 0)
    } finally {
      await limited.stop()
    }
  })
})

test('failure 28: a clock that is set back locks out no client of public reads', async () => {
  const limited = await startTestGateway({ share: gateway, clock, env: { SEARCHES_PER_MINUTE: '20' } })
  const other = await startTestGateway({ share: gateway, clock, env: { SEARCHES_PER_MINUTE: '20' } })
  const admittedOf = async (one: TestGateway) => {
    const ask = () => send(one.url, '/api/v1/market/tags')
    const answers = await Promise.all(Array.from({ length: 30 }, ask))
    return answers.filter(({ status }) => status === 200).length
  }
  try {
    expect(await admittedOf(limited)).toBe(20)
    // The other knows the client by the database only, and admits a tenth of the quota before it looks.
    ahead = -HOUR_MS
    expect([await admittedOf(limited), await admittedOf(other)]).toEqual([0, 2])
    for (const one of [limited, other]) {
      ahead += 60_000
      expect(await admittedOf(one)).toBeGreaterThanOrEqual(18)
    }
  } finally {
    await limited.stop()
    await other.stop()
  }
})

test("failure 28: an interval that is shortened after the database's clock was set back counts no earlier call", async () => {
  const credential = await newPayer(gateway, '1', { creditLimit: '0.02' })
  const countersOf = async () => {
    const path = `/credentials/agent/${credential.id}/status`
    const { spentUsdc, heldUsdc } = (await get(gateway, path, { token: credential.owner.token })).body
    return [spentUsdc, heldUsdc]
  }
  expect((await get(gateway, '/balance/spending-limit', { token: credential.owner.token })).status).toBe(200)
  // A clock that was ahead leaves this: calls are drawn at the start of tomorrow.
  await gateway.sql(
    "update spending_policies set day_start = day_start + interval '1 day' where owner = $1",
    [credential.owner.account.address.toLowerCase()],
  )
  const held = holdAnswers(upstream)
  const running = call(credential)
  await until('the provider is asked', () => held.waiting() === 1)
  const path = `/credentials/agent/${credential.id}/quota`
  const body = { resetInterval: 'hourly' }
  expect(
    (await send(gateway.url, `/api/v1${path}`, { method: 'PATCH', token: credential.owner.token, body }))
      .status,
  ).toBe(200)
  expect(await countersOf()).toEqual(['0.000000', '0.000000'])
  held.release()
  expect((await running).status).toBe(200)
  expect(await countersOf()).toEqual(['0.000000', '0.000000'])
  expect((await call(credential)).status).toBe(200)
  expect(await countersOf()).toEqual([PRICE_USDC, '0.000000'])
})

test('failure 28: challenges and sessions expire by the clock that issued them', async () => {
  const person = await arrive(gateway)
  const message = await askChallenge(gateway.url, person.account.address)
  const signature = await person.account.signMessage({ message })
  ahead = HOUR_MS
  const body = { address: person.account.address, message, signature }
  expect((await post(gateway, '/auth/verify', { body })).body.code).toBe('CHALLENGE_EXPIRED')
  expect((await get(gateway, '/auth/me', { token: person.token })).status).toBe(200)
  ahead = 24 * HOUR_MS
  expect((await get(gateway, '/auth/me', { token: person.token })).body.code).toBe('UNAUTHORIZED')
})

/** Until when the gateway's holds are alive, in Unix milliseconds of the database. */
async function leaseOf(): Promise<number> {
  const [row] = await gateway.sql<{ until: Date }>('select max(lease_until) as until from gateway_instances')
  return row?.until.getTime() ?? 0
}
