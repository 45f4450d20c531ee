import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { get } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { PRICE_USDC } from '../kit/world/sold-service.ts'
import { invoke, register } from '../kit/world/world.ts'
import {
  expectCharged,
  expectInterrupted,
  type Fixture,
  FUNDS,
  HOLDS,
  SETTLEMENTS,
  startFixture,
} from './fixture.ts'

/** Maximum time of a refusal while the database is gone, in ms. */
const QUICK_MS = 5_000
/** Maximum time if the database neither answers nor disconnects: two attempts of a batch, in ms. */
const SILENT_MS = 20_000

let fixture: Fixture

beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())
afterEach(async () => {
  fixture.proxy.pass()
  await fixture.on.assertBooks()
  expect(fixture.on.isAlive()).toBe(true)
})

describe('failure 22: a connection that is lost at a COMMIT', () => {
  const places: readonly [what: string, at: CatchAt, statement: string][] = [
    ['hold', 'request', HOLDS],
    ['hold', 'commit-answer', HOLDS],
    ['hold', 'answers', HOLDS],
    ['settlement', 'request', SETTLEMENTS],
    ['settlement', 'commit-answer', SETTLEMENTS],
    ['settlement', 'answers', SETTLEMENTS],
  ]
  test.each(places)(
    'of a %s (%s lost) is resolved by key: one call, one charge',
    async (_, at, statement) => {
      const payer = await fixture.payer({ maxCalls: 1 })
      const before = fixture.upstream.calls.length
      const trap = fixture.proxy.catchCommit(at, [statement])
      const call = fixture.call(payer, 'k')
      await trap.sprung
      trap.cut()
      const answer = await call
      expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } })
      expect(fixture.upstream.calls.length - before).toBe(1)
      await expectCharged(fixture, payer, 'k')
      expect((await fixture.call(payer, 'k')).body).toEqual(answer.body)
    },
  )

  test('of a hold counts the request once towards the rate limit', async () => {
    const payer = await fixture.payer({ rpm: 1 })
    const trap = fixture.proxy.catchCommit('commit-answer', [HOLDS])
    const call = fixture.call(payer, 'k')
    await trap.sprung
    trap.cut()
    expect((await call).body).toMatchObject({ status: 'SUCCEEDED' })
    expect((await fixture.call(payer, 'k')).body.code).toBe('RATE_LIMITED')
  })

  test('of a hold, with the database gone: the caller is asked to retry, and the hold is released', async () => {
    const payer = await fixture.payer({ maxCalls: 1 })
    const before = fixture.upstream.calls.length
    const trap = fixture.proxy.catchCommit('commit-answer', [HOLDS])
    const call = fixture.call(payer, 'k')
    await trap.sprung
    fixture.proxy.refuse()
    expect(await call).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    expect(await fixture.calls(payer)).toMatchObject([{ status: 'PENDING' }])
    fixture.proxy.pass()
    await expectInterrupted(fixture, payer, 'k')
    expect(fixture.upstream.calls.length - before).toBe(0)
  })

  test('of a settlement, with the database gone for a while: the answer waits, and is paid once', async () => {
    const payer = await fixture.payer()
    const trap = fixture.proxy.catchCommit('request', [SETTLEMENTS])
    const call = fixture.call(payer, 'k')
    await trap.sprung
    const before = fixture.proxy.refusals()
    fixture.proxy.refuse()
    await until('the gateway has tried again in vain', () => fixture.proxy.refusals() - before > 2)
    expect(await fixture.calls(payer)).toMatchObject([{ status: 'PENDING' }])
    fixture.proxy.pass()
    expect((await call).body).toMatchObject({ status: 'SUCCEEDED' })
    await expectCharged(fixture, payer, 'k')
  })
})

describe('failure 74: while the database is gone', () => {
  test('calls are rejected quickly with Retry-After, nothing is held, and service resumes by itself', async () => {
    const payer = await fixture.payer()
    const before = fixture.upstream.calls.length
    expect((await fixture.call(payer, 'before')).status).toBe(200)
    fixture.proxy.refuse()
    const from = Date.now()
    const refused = await Promise.all(
      Array.from({ length: 20 }, (_, index) => fixture.call(payer, `gone ${index}`)),
    )
    expect(Date.now() - from).toBeLessThan(QUICK_MS)
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    const balance = await get(fixture.on, '/balance', { token: payer.owner.token })
    expect([balance.status, balance.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect((await fetch(`${fixture.on.url}/health`)).status).toBe(200)
    expect((await fetch(`${fixture.on.url}/ready`)).status).toBe(503)
    expect(await fixture.calls(payer)).toHaveLength(1)
    expect(fixture.upstream.calls.length - before).toBe(1)

    fixture.proxy.pass()
    expect((await fixture.call(payer, 'gone 0')).status).toBe(200)
    expect((await fetch(`${fixture.on.url}/ready`)).status).toBe(200)
    expect((await fixture.balance(payer)).available).toBe(FUNDS - 20_000n)
  })

  test('silently, as behind a broken network, calls are rejected too, and service resumes', async () => {
    const payer = await fixture.payer()
    // Neither its credential nor its service has been read before.
    const newcomer = await fixture.payer()
    const terms = { targets: [fixture.upstream.url], priceUsdc: PRICE_USDC }
    const serviceId = await register(fixture.on, fixture.provider, terms)
    const body = { serviceId, costUsdc: PRICE_USDC, payload: { body: {} } }
    const before = fixture.upstream.calls.length
    expect((await fixture.call(payer, 'before')).status).toBe(200)
    fixture.proxy.swallow()
    const from = Date.now()
    const refused = await Promise.all([
      ...['a', 'b', 'c'].map(key => fixture.call(payer, key)),
      fixture.call(newcomer, 'd'),
      invoke(fixture.on, payer, body),
    ])
    expect(Date.now() - from).toBeLessThan(SILENT_MS)
    for (const { status, body } of refused) expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
    fixture.proxy.pass()
    expect((await fixture.call(payer, 'a')).status).toBe(200)
    expect(await fixture.calls(payer)).toHaveLength(2)
    expect(fixture.upstream.calls.length - before).toBe(2)
  })
})

test('a call whose write the database rejects fails alone: the rest of its batch succeeds', async () => {
  const payer = await fixture.payer()
  await fixture.on.sql(`create function refuse_poison() returns trigger language plpgsql as $$
    begin if new.held::text like '%"key":"poison"%' then raise exception 'poison'; end if; return new; end $$`)
  await fixture.on.sql(`create trigger refuse_poison before insert on ledger_log
    for each row execute function refuse_poison()`)
  const lock = await fixture.lock(payer)
  const keys = ['first', ...Array.from({ length: 20 }, (_, index) => (index === 9 ? 'poison' : `k${index}`))]
  const calls = keys.map(key => fixture.call(payer, key))
  await fixture.untilBlocked(1)
  await lock.release()
  const answers = await Promise.all(calls)
  await fixture.on.sql('drop trigger refuse_poison on ledger_log')
  expect(answers.map(({ status }) => status)).toEqual(keys.map(key => (key === 'poison' ? 500 : 200)))
  expect(await fixture.charges(payer)).toBe(20)
  expect((await fixture.call(payer, 'poison')).status).toBe(200)
})
