import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { answerOrCut } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { PRICE } from '../kit/world/sold-service.ts'
import {
  createAftermaths,
  expectCharged,
  expectInterrupted,
  type Fixture,
  FUNDS,
  HOLDS,
  SETTLEMENTS,
  startFixture,
} from './fixture.ts'

const CROWD = 60
/** Minimum calls in a batch under load. */
const BATCH_MIN = 5

let fixture: Fixture
const aftermaths = createAftermaths(() => fixture.on)

beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

/** Returns how many calls reached the provider since the count began. */
function countCalls(): () => number {
  const before = fixture.upstream.calls.length
  return () => fixture.upstream.calls.length - before
}

const answerAtOnce = () =>
  fixture.upstream.respondWith((_, response) => sendJson(response, 200, { done: true }))

describe('SIGKILL', () => {
  test('failure 18: after the hold, before the provider was called: released, and never called by us', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    const trap = fixture.proxy.catchCommit('commit-answer', [HOLDS])
    const call = answerOrCut(fixture.call(payer, 'k'))
    await trap.sprung
    await fixture.on.kill9()
    expect(await call).toBeNull()
    expect(await fixture.calls(payer)).toMatchObject([{ status: 'PENDING' }])
    await aftermaths.recover(() => expectInterrupted(fixture, payer, 'k'))
    expect(called()).toBe(0)
  })

  test('failure 19: after the request was sent: it is not sent again, the key replays a definite state', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    fixture.upstream.respondWith(() => undefined)
    const call = answerOrCut(fixture.call(payer, 'k'))
    await until('the provider has the request', () => called() === 1)
    await fixture.on.kill9()
    expect(await call).toBeNull()
    answerAtOnce()
    await aftermaths.recover(() => expectInterrupted(fixture, payer, 'k'))
    expect(called()).toBe(1)
  })

  test('failure 20: after the answer, before the capture: released, the balance is restored', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    answerAtOnce()
    const trap = fixture.proxy.catchCommit('request', [SETTLEMENTS])
    const call = answerOrCut(fixture.call(payer, 'k'))
    await trap.sprung
    await fixture.on.kill9()
    expect(await call).toBeNull()
    await aftermaths.recover(() => expectInterrupted(fixture, payer, 'k'))
    expect(called()).toBe(1)
  })

  test('failure 21: after the capture, before the reply: the same body, one charge', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    answerAtOnce()
    const trap = fixture.proxy.catchCommit('answers', [SETTLEMENTS])
    const call = answerOrCut(fixture.call(payer, 'k'))
    await trap.sprung
    await fixture.on.kill9()
    expect(await call).toBeNull()
    await aftermaths.recover(() => expectCharged(fixture, payer, 'k'))
    expect(called()).toBe(1)
  })
})

describe('failure 23: SIGKILL in the middle of a batch', () => {
  const keys = Array.from({ length: CROWD }, (_, index) => `k${index}`)
  const idsIn = (text: string) => new Set(text.match(/inv_[0-9A-Za-z]+/g))
  const isCrowded = (statement: string) => (text: string) =>
    text.includes(statement) && idsIn(text).size >= BATCH_MIN

  /** Which calls of a batch are in a state. */
  const inState = async (payer: Payer, ids: ReadonlySet<string>, status: string) =>
    (await fixture.calls(payer)).filter(call => ids.has(call.id) && call.status === status).length

  /** Expects that every call was charged once or given up, and that the balances agree with that. */
  const expectEnds = async (payer: Payer) => {
    await until('every call has an end', async () =>
      (await fixture.calls(payer)).every(({ status }) => status !== 'PENDING'),
    )
    const calls = await fixture.calls(payer)
    const charged = calls.filter(({ status }) => status === 'SUCCEEDED').length
    expect(await fixture.charges(payer)).toBe(charged)
    const spent = BigInt(charged) * PRICE
    expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - spent, held: 0n })
    return calls
  }

  test.each<[string, CatchAt, (batch: number) => number]>([
    ['before its COMMIT arrived: none of its holds exists', 'request', () => 0],
    ['after its COMMIT: all of its holds exist, and all are released', 'commit-answer', batch => batch],
  ])('%s', async (_, at, expected) => {
    const payer = await fixture.payer()
    answerAtOnce()
    const lock = await fixture.lock(payer)
    const trap = fixture.proxy.catchCommit(at, isCrowded(HOLDS))
    const calls = keys.map(key => answerOrCut(fixture.call(payer, key)))
    await fixture.untilBlocked(1)
    await lock.release()
    const batch = idsIn(await trap.sprung)
    await fixture.on.kill9()
    await Promise.all(calls)
    expect(await inState(payer, batch, 'PENDING')).toBe(expected(batch.size))
    await aftermaths.recover(async () => {
      await expectEnds(payer)
      expect(await inState(payer, batch, 'FAILED_RETRYABLE')).toBe(expected(batch.size))
    })
  })

  test.each<[string, CatchAt, (batch: number) => number]>([
    ['before its COMMIT arrived: none of its captures exists', 'request', () => 0],
    ['after its COMMIT: all of its captures exist', 'answers', batch => batch],
  ])('%s', async (_, at, expected) => {
    const payer = await fixture.payer()
    const called = countCalls()
    const goOn = Promise.withResolvers<void>()
    fixture.upstream.respondWith(async (_call, response) => {
      await goOn.promise
      sendJson(response, 200, { done: true })
    })
    const calls = keys.map(key => answerOrCut(fixture.call(payer, key)))
    await until('the provider has every request', () => called() === CROWD)
    const lock = await fixture.lock(payer)
    const trap = fixture.proxy.catchCommit(at, isCrowded(SETTLEMENTS))
    goOn.resolve()
    await fixture.untilBlocked(1)
    await lock.release()
    const batch = idsIn(await trap.sprung)
    await fixture.on.kill9()
    await Promise.all(calls)
    expect(await inState(payer, batch, 'SUCCEEDED')).toBe(expected(batch.size))
    await aftermaths.recover(async () => {
      expect(await expectEnds(payer)).toHaveLength(CROWD)
      expect(await inState(payer, batch, 'SUCCEEDED')).toBe(expected(batch.size))
    })
    expect(called()).toBe(CROWD)
  })
})

test('a second crash changes nothing that the first ones left', () => aftermaths.recoverAgain())
