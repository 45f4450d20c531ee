import { parseUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Pair, startPair } from '../kit/gateway/gateway-pair.ts'
import { type Sent, send } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
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

/** Calls of one burst; the limits let a few of them through. */
const BURST = 24
const ALLOWED = 5
/** Cost of that many calls. */
const ALLOWED_USDC = '0.05'
const NEW_PRICE_USDC = '0.020000'

const boss = newWallet()
let pair: Pair
beforeAll(async () => {
  pair = await startPair({ ADMIN_WALLETS: boss.address })
})
afterAll(() => pair.stop())
beforeEach(() => pair.upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))
afterEach(() => pair.one.assertBooks())

const times = <Result>(count: number, make: (turn: number) => Result): Result[] =>
  Array.from({ length: count }, (_, turn) => make(turn))
const ask = (turn: number, path: string, sent: Sent) => send(pair.gateway(turn).url, `/api/v1${path}`, sent)
const address = (person: Person) => person.account.address

/** A burst of calls over both gateways. */
async function burst(credential: { readonly token: string }, and = credential) {
  const answers = await Promise.all(
    times(BURST, turn => pair.call(pair.gateway(turn), turn < BURST / 2 ? credential : and)),
  )
  const limits = new Set(answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.detail.limit])))
  return { counts: countStatuses(answers), limits: [...limits] }
}

describe('a burst over two gateways meets one limit', () => {
  const refused = { 200: ALLOWED, 402: BURST - ALLOWED }

  test('of the spending policy, across credentials', async () => {
    const owner = await ownerWith(pair.one, '1')
    const agents = [await mint(pair.one, owner), await mint(pair.one, owner)] as const
    const body = { dailyLimitUsdc: ALLOWED_USDC }
    const set = await ask(0, '/balance/spending-limit', { method: 'PUT', token: owner.token, body })
    expect(set.status).toBe(200)
    expect(await burst(...agents)).toEqual({ counts: refused, limits: ['policy_daily'] })
  })

  test('of requests per minute', async () => {
    const rpm = 10
    const agent = await mint(pair.one, await ownerWith(pair.one, '1'), { rpm })
    const from = performance.now()
    const { counts } = await burst(agent)
    const trickle = Math.ceil(((performance.now() - from) / 60_000) * rpm)
    expect(counts[200]).toBeGreaterThanOrEqual(rpm)
    expect(counts[200]).toBeLessThanOrEqual(rpm + trickle)
    expect(counts).toEqual({ 200: counts[200], 429: BURST - (counts[200] ?? 0) })
  })
})

describe('a change at one gateway binds the next call at both', () => {
  let owner: Person
  let agent: { token: string; id: string }
  beforeEach(async () => {
    owner = await ownerWith(pair.one, '1')
    agent = await mint(pair.one, owner)
    await everywhere([200, 'SUCCEEDED']) // now both have cached the credential and the service
  })

  /** One call at each gateway: both answer alike. */
  async function everywhere(expected: [status: number, code: string], extra: Record<string, unknown> = {}) {
    const answers = await Promise.all(times(2, turn => pair.call(pair.gateway(turn), agent, extra)))
    const reported = answers.map(({ status, body }) => [status, status === 200 ? body.status : body.code])
    expect(reported).toEqual(times(2, () => expected))
  }
  const admin = async (path: string) => {
    const token = await signIn(pair.one.url, boss)
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
    expect((await allow([pair.service])).status).toBe(200)
    await everywhere([200, 'SUCCEEDED'])
  })

  test('a suspended and resumed wallet', async () => {
    await admin(`wallets/${address(owner)}/suspend`)
    await everywhere([403, 'WALLET_SUSPENDED'])
    await admin(`wallets/${address(owner)}/resume`)
    await until('it may call again', async () => (await pair.call(pair.gateway(1), agent)).status === 200)
  })

  test('a changed price', async () => {
    const targets = [pair.upstream.url]
    const serviceId = await register(pair.one, pair.provider, { targets, priceUsdc: PRICE_USDC })
    await everywhere([200, 'SUCCEEDED'], { serviceId })
    const body = { pricing: { currency: 'USDC', amount: NEW_PRICE_USDC } }
    const { token } = pair.provider
    expect((await ask(0, `/services/${serviceId}`, { method: 'PUT', token, body })).status).toBe(200)
    await everywhere([422, 'PRICE_MISMATCH'], { serviceId })
    await everywhere([200, 'SUCCEEDED'], { serviceId, costUsdc: NEW_PRICE_USDC })
  })

  test('a suspended and resumed service', async () => {
    await admin(`services/${pair.service}/suspend`)
    await everywhere([404, 'SERVICE_NOT_FOUND'])
    await admin(`services/${pair.service}/resume`)
    await until('both call it', async () => {
      const answers = await Promise.all(times(2, turn => pair.call(pair.gateway(turn), agent)))
      return answers.every(({ status }) => status === 200)
    })
  })

  test('a credited deposit', async () => {
    const before = await balanceOf(pair.one, owner)
    const txHash = await pair.one.chain.deposit(address(owner), parseUsdc('2'))
    const { token } = owner
    const body = { tx_hash: txHash, amount: '2' }
    const opened = await ask(1, '/balance/deposit/intent', { method: 'POST', token, body })
    const { id } = opened.body.intent as { id: string }
    await ask(0, `/balance/deposit/intents/${id}/confirm`, { method: 'POST', token, body: {} })
    const balances = await Promise.all(times(2, turn => balanceOf(pair.gateway(turn), owner)))
    expect(balances.map(({ available }) => available)).toEqual(
      times(2, () => before.available + parseUsdc('2')),
    )
  })
})

describe('signing in', () => {
  test('a challenge is answered once, at either gateway, and the session is valid at both', async () => {
    const wallet = newWallet()
    const message = await askChallenge(pair.gateway(0).url, wallet.address)
    const body = { address: wallet.address, message, signature: await wallet.signMessage({ message }) }
    const verify = (turn: number) => ask(turn, '/auth/verify', { method: 'POST', body })
    const answers = await Promise.all(times(2, verify))
    expect(countStatuses(answers)).toEqual({ 200: 1, 401: 1 })
    const token = String(answers.find(({ status }) => status === 200)?.body.token)
    const seen = await Promise.all(times(2, turn => ask(turn, '/auth/me', { token })))
    expect(countStatuses(seen)).toEqual({ 200: 2 })
  })

  test('a session that is ended at one gateway is invalid at both', async () => {
    const { token } = await arrive(pair.one)
    expect(countStatuses(await Promise.all(times(2, turn => ask(turn, '/auth/me', { token }))))).toEqual({
      200: 2,
    })
    await ask(1, '/auth/logout', { method: 'POST', token, body: {} })
    expect(countStatuses(await Promise.all(times(2, turn => ask(turn, '/auth/me', { token }))))).toEqual({
      401: 2,
    })
  })
})
