import { parseUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Sent, send } from '../kit/network/http.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { countCharges } from '../kit/world/payer.ts'
import { PRICE_USDC } from '../kit/world/sold-service.ts'
import { askChallenge, newWallet, signIn } from '../kit/world/wallets.ts'
import {
  arrive,
  balanceOf,
  countStatuses,
  mint,
  ownerWith,
  type Person,
  register,
} from '../kit/world/world.ts'
import { type Several, START_TIMEOUT_MS, startSeveral } from './fixture.ts'

/** Calls of one burst; the limits let a few of them through. */
const BURST = 24
const ALLOWED = 5
/** Cost of that many calls. */
const ALLOWED_USDC = '0.05'
const NEW_PRICE_USDC = '0.020000'

const boss = newWallet()
let fixture: Several
beforeAll(async () => {
  fixture = await startSeveral({ ADMIN_WALLETS: boss.address })
}, START_TIMEOUT_MS)
afterAll(() => fixture.stop())
beforeEach(() => fixture.upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))
afterEach(() => fixture.assertBooks())

const times = <Result>(count: number, make: (turn: number) => Result): Result[] =>
  Array.from({ length: count }, (_, turn) => make(turn))
/** The gateways in turn. */
const gateway = (turn: number) => {
  const [first, second, third] = fixture.gateways
  return [first, second, third][turn % 3] ?? first
}
const ask = (turn: number, path: string, sent: Sent) => send(gateway(turn).url, `/api/v1${path}`, sent)
const address = (person: Person) => person.account.address

/** A burst of calls over all gateways. */
async function burst(credential: { readonly token: string }, and = credential) {
  const answers = await Promise.all(
    times(BURST, turn => fixture.call(turn < BURST / 2 ? credential : and, {}, gateway(turn))),
  )
  const limits = new Set(answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.detail.limit])))
  return { counts: countStatuses(answers), limits: [...limits] }
}

describe('a burst over three gateways meets one limit', () => {
  const refused = { 200: ALLOWED, 402: BURST - ALLOWED }

  test('of calls', async () => {
    const agent = await mint(fixture.on, await ownerWith(fixture.on, '1'), { maxCalls: ALLOWED })
    expect(await burst(agent)).toEqual({ counts: refused, limits: ['credential_calls'] })
  })

  test('of the credit of a credential', async () => {
    const agent = await mint(fixture.on, await ownerWith(fixture.on, '1'), { creditLimit: ALLOWED_USDC })
    expect(await burst(agent)).toEqual({ counts: refused, limits: ['credential_credit'] })
  })

  test('of the balance, across credentials', async () => {
    const owner = await ownerWith(fixture.on, ALLOWED_USDC)
    const agents = [await mint(fixture.on, owner), await mint(fixture.on, owner)] as const
    expect(await burst(...agents)).toEqual({ counts: refused, limits: ['owner_balance'] })
    expect(await balanceOf(fixture.on, owner)).toMatchObject({ available: 0n, held: 0n })
  })

  test('of the spending policy, across credentials', async () => {
    const owner = await ownerWith(fixture.on, '1')
    const agents = [await mint(fixture.on, owner), await mint(fixture.on, owner)] as const
    const body = { dailyLimitUsdc: ALLOWED_USDC }
    const set = await ask(0, '/balance/spending-limit', { method: 'PUT', token: owner.token, body })
    expect(set.status).toBe(200)
    expect(await burst(...agents)).toEqual({ counts: refused, limits: ['policy_daily'] })
  })

  test('of requests per minute', async () => {
    const rpm = 10
    const agent = await mint(fixture.on, await ownerWith(fixture.on, '1'), { rpm })
    const from = performance.now()
    const { counts } = await burst(agent)
    const trickle = Math.ceil(((performance.now() - from) / 60_000) * rpm)
    expect(counts[200]).toBeGreaterThanOrEqual(rpm)
    expect(counts[200]).toBeLessThanOrEqual(rpm + trickle)
    expect(counts).toEqual({ 200: counts[200], 429: BURST - (counts[200] ?? 0) })
  })
})

describe('a change at one gateway binds the next call at all of them', () => {
  let owner: Person
  let agent: { token: string; id: string }
  beforeEach(async () => {
    owner = await ownerWith(fixture.on, '1')
    agent = await mint(fixture.on, owner)
    await everywhere([200, 'SUCCEEDED']) // now all of them remember the credential and the service
  })

  /** One call at each gateway: all answer alike. */
  async function everywhere(expected: [status: number, code: string], extra: Record<string, unknown> = {}) {
    const answers = await Promise.all(times(3, turn => fixture.call(agent, extra, gateway(turn))))
    const reported = answers.map(({ status, body }) => [status, status === 200 ? body.status : body.code])
    expect(reported).toEqual(times(3, () => expected))
  }
  const admin = async (path: string) => {
    const token = await signIn(fixture.on.url, boss)
    const answer = await ask(0, `/admin/${path}`, { method: 'POST', token, body: { reason: 'a test' } })
    expect(answer.status).toBe(200)
  }

  test('a revoked credential', async () => {
    const token = owner.token
    await ask(0, `/credentials/agent/${agent.id}/revoke`, { method: 'POST', token, body: {} })
    await everywhere([401, 'CREDENTIAL_INACTIVE'])
  })

  test('a rotated token', async () => {
    const token = owner.token
    await ask(1, `/credentials/agent/${agent.id}/rotate`, { method: 'POST', token, body: {} })
    await everywhere([401, 'CREDENTIAL_INVALID'])
  })

  test('an empty allow-list, and a restored one', async () => {
    const allow = (allowedServices: string[]) =>
      ask(1, `/credentials/agent/${agent.id}`, {
        method: 'PATCH',
        token: owner.token,
        body: { allowedServices },
      })
    expect((await allow([])).status).toBe(200)
    await everywhere([403, 'SERVICE_NOT_ALLOWED'])
    expect((await allow([fixture.service])).status).toBe(200)
    await everywhere([200, 'SUCCEEDED'])
  })

  test('a suspended and resumed wallet', async () => {
    await admin(`wallets/${address(owner)}/suspend`)
    await everywhere([403, 'WALLET_SUSPENDED'])
    await admin(`wallets/${address(owner)}/resume`)
    await until('it may call again', async () => (await fixture.call(agent, {}, gateway(2))).status === 200)
  })

  test('a changed price', async () => {
    const targets = [fixture.upstream.url]
    const serviceId = await register(fixture.on, fixture.provider, { targets, priceUsdc: PRICE_USDC })
    await everywhere([200, 'SUCCEEDED'], { serviceId })
    const body = { pricing: { currency: 'USDC', amount: NEW_PRICE_USDC } }
    const { token } = fixture.provider
    expect((await ask(2, `/services/${serviceId}`, { method: 'PUT', token, body })).status).toBe(200)
    await everywhere([422, 'PRICE_MISMATCH'], { serviceId })
    await everywhere([200, 'SUCCEEDED'], { serviceId, costUsdc: NEW_PRICE_USDC })
  })

  test('a suspended and resumed service', async () => {
    await admin(`services/${fixture.service}/suspend`)
    await everywhere([404, 'SERVICE_NOT_FOUND'])
    await admin(`services/${fixture.service}/resume`)
    await until('all of them call it', async () => {
      const answers = await Promise.all(times(3, turn => fixture.call(agent, {}, gateway(turn))))
      return answers.every(({ status }) => status === 200)
    })
  })

  test('a credited deposit', async () => {
    const before = await balanceOf(gatewayOf(0), owner)
    const txHash = await fixture.on.chain.deposit(address(owner), parseUsdc('2'))
    const { token } = owner
    const body = { tx_hash: txHash, amount: '2' }
    const opened = await ask(1, '/balance/deposit/intent', { method: 'POST', token, body })
    const { id } = opened.body.intent as { id: string }
    await ask(2, `/balance/deposit/intents/${id}/confirm`, { method: 'POST', token, body: {} })
    const balances = await Promise.all(times(3, turn => balanceOf(gatewayOf(turn), owner)))
    expect(balances.map(({ available }) => available)).toEqual(
      times(3, () => before.available + parseUsdc('2')),
    )
  })
})

const gatewayOf = (turn: number) => ({ url: gateway(turn).url, chain: fixture.on.chain })

test('one key at three gateways: one call of the provider, one charge, the same answer everywhere', async () => {
  const owner = await ownerWith(fixture.on, '1')
  const agent = await mint(fixture.on, owner)
  const held = holdAnswers(fixture.upstream)
  const same = { idempotencyKey: 'same' }
  const calls = times(BURST, turn => fixture.call(agent, same, gateway(turn)))
  const early = await Promise.race(calls)
  expect([early.status, early.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  await until('it has reached the provider', () => held.waiting() === 1)
  held.release()
  await Promise.all(calls)

  const replays = await Promise.all(times(6, turn => fixture.call(agent, same, gateway(turn))))
  for (const { status, headers, body } of replays) {
    expect([status, headers['idempotent-replayed']]).toEqual([200, 'true'])
    expect(body).toEqual(replays[0]?.body)
  }
  const other = { ...same, payload: { body: { q: 2 } } }
  const conflicts = await Promise.all(times(3, turn => fixture.call(agent, other, gateway(turn))))
  expect(countStatuses(conflicts)).toEqual({ 409: 3 })
  expect(held.waiting()).toBe(1)
  expect(await countCharges(fixture.gateways[0], owner)).toBe(1)
})

describe('signing in', () => {
  test('a challenge of one gateway is answered at another, once, and the session is valid at all', async () => {
    const wallet = newWallet()
    const message = await askChallenge(gateway(0).url, wallet.address)
    const body = { address: wallet.address, message, signature: await wallet.signMessage({ message }) }
    const verify = (turn: number) => ask(turn, '/auth/verify', { method: 'POST', body })
    const answers = await Promise.all(times(3, verify))
    expect(countStatuses(answers)).toEqual({ 200: 1, 401: 2 })
    const token = String(answers.find(({ status }) => status === 200)?.body.token)
    const seen = await Promise.all(times(3, turn => ask(turn, '/auth/me', { token })))
    expect(countStatuses(seen)).toEqual({ 200: 3 })
  })

  test('a session that is ended at one gateway is invalid at all', async () => {
    const { token } = await arrive(fixture.on)
    expect(countStatuses(await Promise.all(times(3, turn => ask(turn, '/auth/me', { token }))))).toEqual({
      200: 3,
    })
    await ask(1, '/auth/logout', { method: 'POST', token, body: {} })
    expect(countStatuses(await Promise.all(times(3, turn => ask(turn, '/auth/me', { token }))))).toEqual({
      401: 3,
    })
  })
})
