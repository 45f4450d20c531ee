import { parseUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Pair, startPair } from '../kit/gateway/gateway-pair.ts'
import { post, send } from '../kit/network/http.ts'
import { holdAnswers } from '../kit/provider/hold-answers.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { PRICE, PRICE_USDC } from '../kit/world/sold-service.ts'
import { balanceOf, countStatuses, mint, ownerWith, register } from '../kit/world/world.ts'

const NEW_PRICE_USDC = '0.020000'

let pair: Pair

beforeAll(async () => {
  pair = await startPair()
})
afterAll(() => pair.stop())
beforeEach(() => pair.upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))
afterEach(() => pair.one.assertBooks())

const times = <Value>(count: number, make: (turn: number) => Value): Value[] =>
  Array.from({ length: count }, (_, turn) => make(turn))

test('failure 1: of N calls at once with funds for k exactly k succeed, the others are BUDGET_EXHAUSTED', async () => {
  const owner = await ownerWith(pair.one, '0.075')
  const agent = await mint(pair.one, owner)
  const answers = await Promise.all(times(80, turn => pair.call(pair.gateway(turn), agent)))
  expect(countStatuses(answers)).toEqual({ 200: 7, 402: 73 })
  for (const { body } of answers.filter(({ status }) => status === 402)) {
    expect(body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'owner_balance', remainingUsdc: '0.005000' },
    })
  }
  expect(await balanceOf(pair.one, owner)).toMatchObject({ available: 5_000n, held: 0n })
  expect(await pair.admitted(agent)).toHaveLength(7)
})

test('failure 2: two credentials of one owner keep both caps and the common balance', async () => {
  const owner = await ownerWith(pair.one, '0.08')
  const agents = [
    await mint(pair.one, owner, { creditLimit: '0.05' }),
    await mint(pair.two, owner, { creditLimit: '0.05' }),
  ] as const
  const answers = await Promise.all(
    times(80, turn => pair.call(pair.gateway(turn >> 1), agents[turn % 2 === 0 ? 0 : 1])),
  )
  expect(countStatuses(answers)).toEqual({ 200: 8, 402: 72 })
  for (const agent of agents) expect((await pair.admitted(agent)).length).toBeLessThanOrEqual(5)
  expect(await balanceOf(pair.one, owner)).toMatchObject({ available: 0n, held: 0n })
})

test('failure 3: of 100 parallel calls of a credential for one call, one reaches the provider', async () => {
  const owner = await ownerWith(pair.one, '5')
  const agent = await mint(pair.one, owner, { maxCalls: 1 })
  const held = holdAnswers(pair.upstream)
  const calls = times(100, turn => pair.call(pair.gateway(turn), agent))
  await until('one is admitted', () => held.waiting() === 1)
  const refused = Promise.race(calls)
  expect((await refused).body).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    detail: { limit: 'credential_calls' },
  })
  held.release()
  expect(countStatuses(await Promise.all(calls))).toEqual({ 200: 1, 402: 99 })
  expect(held.waiting()).toBe(1)
  expect(await pair.charges(owner)).toBe(1)
})

test('failure 3: a failed call is not counted, and another one takes its place', async () => {
  const owner = await ownerWith(pair.one, '5')
  const agent = await mint(pair.one, owner, { maxCalls: 1 })
  pair.upstream.respondWith((_, response) => sendJson(response, 500, {}))
  expect((await pair.call(pair.one, agent)).status).toBe(502)
  pair.upstream.respondWith((_, response) => sendJson(response, 200, {}))
  const answers = await Promise.all(times(20, turn => pair.call(pair.gateway(turn), agent)))
  expect(countStatuses(answers)).toEqual({ 200: 1, 402: 19 })
})

test('failure 4: the same key in parallel, at both gateways, is one call and one charge', async () => {
  const owner = await ownerWith(pair.one, '5')
  const agent = await mint(pair.one, owner)
  const held = holdAnswers(pair.upstream)
  const same = { idempotencyKey: 'same', payload: { body: { a: 1, b: 2 } } }
  const reordered = { idempotencyKey: 'same', payload: { body: { b: 2, a: 1 } } }
  const calls = times(60, turn => pair.call(pair.gateway(turn), agent, turn % 3 === 0 ? reordered : same))
  const early = await Promise.race(calls)
  expect([early.status, early.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(0)
  await until('it has reached the provider', () => held.waiting() === 1)
  held.release()
  const answers = await Promise.all(calls)
  const good = answers.filter(({ status }) => status === 200)
  expect(good.length).toBeGreaterThan(0)
  for (const answer of answers) expect([200, 409]).toContain(answer.status)
  const replays = await Promise.all(times(20, turn => pair.call(pair.gateway(turn), agent, same)))
  for (const { status, body, headers } of replays) {
    expect([status, headers['idempotent-replayed']]).toEqual([200, 'true'])
    expect(body).toEqual(good[0]?.body)
  }
  const other = { ...same, payload: { body: { a: 1, b: 3 } } }
  const conflicts = await Promise.all(times(2, turn => pair.call(pair.gateway(turn), agent, other)))
  expect(conflicts.map(({ status, body }) => [status, body.code])).toEqual(
    Array(2).fill([409, 'IDEMPOTENCY_CONFLICT']),
  )
  expect(held.waiting()).toBe(1)
  expect(await pair.charges(owner)).toBe(1)
  expect((await balanceOf(pair.one, owner)).available).toBe(parseUsdc('4.99'))
})

test('failure 8: a price change under load charges each call what it asserted, and none the old price afterwards', async () => {
  const owner = await ownerWith(pair.one, '5')
  const agent = await mint(pair.one, owner)
  const targets = [pair.upstream.url]
  const serviceId = await register(pair.one, pair.provider, { targets, priceUsdc: PRICE_USDC })
  const setPrice = (amount: string) =>
    send(pair.one.url, `/api/v1/services/${serviceId}`, {
      method: 'PUT',
      token: pair.provider.token,
      body: { pricing: { currency: 'USDC', amount } },
    })

  // Some calls are with the provider when the price changes: they are settled at the price of their hold.
  const held = holdAnswers(pair.upstream)
  const running = times(10, turn => pair.call(pair.gateway(turn), agent, { serviceId }))
  await until('the provider has them', () => held.waiting() === 10)
  const racing = times(60, turn =>
    pair.call(pair.gateway(turn), agent, {
      serviceId,
      costUsdc: turn % 2 === 0 ? PRICE_USDC : NEW_PRICE_USDC,
    }),
  )
  const changed = setPrice(NEW_PRICE_USDC)
  expect((await changed).status).toBe(200)
  const late = await Promise.all(times(20, turn => pair.call(pair.gateway(turn), agent, { serviceId })))
  for (const { status, body } of late) {
    expect([status, body.code]).toEqual([422, 'PRICE_MISMATCH'])
    expect(body.detail).toMatchObject({ expectedPriceUsdc: PRICE_USDC, currentPriceUsdc: NEW_PRICE_USDC })
  }
  held.release()
  for (const { body } of await Promise.all(running)) {
    expect(body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: PRICE_USDC })
  }
  const raced = await Promise.all(racing)
  for (const [turn, { status, body }] of raced.entries()) {
    if (status === 200) expect(body.chargedUsdc).toBe(turn % 2 === 0 ? PRICE_USDC : NEW_PRICE_USDC)
    else expect([status, body.code]).toEqual([422, 'PRICE_MISMATCH'])
  }
  const succeeded = raced.filter(({ status }) => status === 200)
  const spent = succeeded.reduce((sum, { body }) => sum + parseUsdc(body.chargedUsdc), 10n * PRICE)
  expect(await pair.admitted(agent)).toHaveLength(10 + succeeded.length)
  expect(await balanceOf(pair.one, owner)).toMatchObject({
    available: parseUsdc('5') - spent,
    held: 0n,
  })

  // Each gateway knows the new price from its first call on, also the one that did not hear of the change; and the
  // second look at the price is not counted against the rate.
  expect((await setPrice(PRICE_USDC)).status).toBe(200)
  for (const turn of [0, 1]) {
    const slow = await mint(pair.one, owner, { rpm: 1 })
    expect((await pair.call(pair.gateway(turn), slow, { serviceId })).body.chargedUsdc).toBe(PRICE_USDC)
    expect((await pair.call(pair.gateway(turn), slow, { serviceId })).body.code).toBe('RATE_LIMITED')
  }
})

test('failure 16: credits that arrive under load are neither lost nor counted twice', async () => {
  const owner = await ownerWith(pair.one, '1')
  const agent = await mint(pair.one, owner)
  const { address } = owner.account
  const txHashes = []
  for (let count = 0; count < 6; count += 1) {
    txHashes.push(await pair.one.chain.deposit(address, usdc(100_000n)))
  }
  const creditTwice = txHashes.map(async txHash => {
    const body = { tx_hash: txHash, amount: '0.1' }
    const opened = await post<{ intent: { id: string } }>(pair.one, '/balance/deposit/intent', {
      token: owner.token,
      body,
    })
    const path = `/balance/deposit/intents/${opened.body.intent.id}/confirm`
    const confirm = (turn: number) => post(pair.gateway(turn), path, { token: owner.token, body: {} })
    return Promise.all([confirm(0), confirm(1)])
  })
  const calls = times(80, turn => pair.call(pair.gateway(turn), agent))
  for (const confirmed of (await Promise.all(creditTwice)).flat()) expect(confirmed.status).toBe(200)
  expect(countStatuses(await Promise.all(calls))).toEqual({ 200: 80 })
  expect(await balanceOf(pair.one, owner)).toMatchObject({
    available: parseUsdc('1.6') - 80n * PRICE,
    held: 0n,
  })
})
