import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breaksAfter, CHARGE, EVENTS, RECEIVED, sends, WHOLE } from '../kit/llm/raw-model.ts'
import { report } from '../kit/llm/shapes.ts'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { issueSecret } from '../kit/world/world.ts'
import { createAftermaths, HOLDS, SETTLEMENTS } from './fixture.ts'
import { AWAITED, FUNDS, type LlmFixture, startLlmFixture } from './llm-fixture.ts'

const USAGE = { inputTokens: 10, outputTokens: 4 }

let fixture: LlmFixture
let secret: string
const aftermaths = createAftermaths(() => fixture.on)

beforeAll(async () => {
  fixture = await startLlmFixture()
  secret = await issueSecret(fixture.on, fixture.provider)
})
afterAll(() => fixture.stop())

/** Returns how many calls reached the model since the count began. */
function countCalls(): () => number {
  const before = fixture.model.calls.length
  return () => fixture.model.calls.length - before
}

const onlyCall = async (payer: Payer) => {
  const [call, ...others] = await fixture.calls(payer)
  if (call === undefined || others.length > 0) throw new Error('There is not exactly one call.')
  return call
}

/** Given up: its key replays that, nothing is charged, nothing is held. */
async function expectReleased(payer: Payer): Promise<void> {
  await until('the call is released', async () => (await onlyCall(payer)).status === 'FAILED_RETRYABLE')
  const { id } = await onlyCall(payer)
  const replay = await fixture.stream(payer, 'k')
  expect(replay.status).toBe(503)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  expect(JSON.parse(replay.text)).toMatchObject({
    code: 'GATEWAY_INTERRUPTED',
    detail: { invocationId: id, status: 'FAILED_RETRYABLE' },
  })
  expect(await fixture.charges(payer)).toBe(0)
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS, held: 0n })
}

/** Charged once: the key plays the recording, the bill and the end. */
async function expectPaid(payer: Payer): Promise<void> {
  expect(await onlyCall(payer)).toMatchObject({ status: 'SUCCEEDED', charged: String(CHARGE) })
  const replay = await fixture.stream(payer, 'k')
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  expect(replay.text.startsWith(RECEIVED)).toBe(true)
  expect(JSON.parse(replay.events.at(-2)?.data ?? '')).toMatchObject({
    status: 'SUCCEEDED',
    chargedUsdc: formatUsdc(usdc(CHARGE)),
    replayed: true,
  })
  expect(replay.events.at(-1)?.data).toBe('[DONE]')
  expect(await fixture.charges(payer)).toBe(1)
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
}

describe('SIGKILL of a streamed call', () => {
  test('failure 18: after the hold, before the model was called: released, and never called by us', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    const trap = fixture.proxy.catchCommit('commit-answer', [HOLDS])
    const caller = fixture.listen(payer, 'k')
    await trap.sprung
    await fixture.on.kill9()
    await caller.over
    expect(caller.text()).toBe('')
    expect(await fixture.calls(payer)).toMatchObject([{ status: 'PENDING' }])
    await aftermaths.recover(() => expectReleased(payer))
    expect(called()).toBe(0)
  })

  test('failure 19: in the middle of the stream: released, not requested again, and the stream looks incomplete', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    fixture.model.begin()
    const caller = fixture.listen(payer, 'k')
    await until('the stream has begun', () => caller.text() === EVENTS.chunk)
    await fixture.on.kill9()
    await caller.over
    expect([caller.isWhole(), caller.text()]).toEqual([false, EVENTS.chunk])
    fixture.model.respondWith(sends(WHOLE))
    await aftermaths.recover(() => expectReleased(payer))
    expect(called()).toBe(1)
  })

  test('failure 20: after the usage, before the capture: released, and no bill is sent', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    fixture.model.begin()
    const caller = fixture.listen(payer, 'k')
    await fixture.model.untilOpen(1)
    const trap = fixture.proxy.catchCommit('request', [SETTLEMENTS])
    for (const { response } of fixture.model.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
    await trap.sprung
    await until('all events have come', () => caller.text() === RECEIVED)
    await fixture.on.kill9()
    await caller.over
    expect(caller.isWhole()).toBe(false)
    expect(caller.text()).not.toContain('gateway')
    await aftermaths.recover(() => expectReleased(payer))
    expect(called()).toBe(1)
  })

  test('failure 21: after the capture, before the last events: the key replays them, one charge', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    fixture.model.respondWith(sends(WHOLE))
    const trap = fixture.proxy.catchCommit('answers', [SETTLEMENTS])
    const caller = fixture.listen(payer, 'k')
    await trap.sprung
    await fixture.on.kill9()
    await caller.over
    expect(caller.isWhole()).toBe(false)
    expect(caller.text()).not.toContain('[DONE]')
    await aftermaths.recover(() => expectPaid(payer))
    expect(called()).toBe(1)
  })

  test('failures 19, 51: a call that waits for its usage keeps waiting: no sweep releases it, a report pays it', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    fixture.model.respondWith(breaksAfter(EVENTS.chunk))
    const trap = fixture.proxy.catchCommit('answers', [AWAITED])
    const caller = fixture.listen(payer, 'k')
    await trap.sprung
    await fixture.on.kill9()
    await caller.over
    expect(caller.isWhole()).toBe(false)
    await fixture.on.restart()
    const { id, status } = await onlyCall(payer)
    expect(status).toBe('PROCESSING')
    // A second call that is cut by a crash shows that the sweep has been.
    const other = await fixture.payer()
    fixture.model.begin()
    const cut = fixture.listen(other, 'k')
    await until('it streams', () => cut.text() !== '')
    await fixture.on.kill9()
    await cut.over
    await fixture.on.restart()
    await expectReleased(other)
    expect((await onlyCall(payer)).status).toBe('PROCESSING')
    expect((await fixture.balance(payer)).held).toBeGreaterThan(0n)
    expect((await report(fixture.on, secret, { invocationId: id, usage: USAGE })).status).toBe(200)
    expect(called()).toBe(2)
    await aftermaths.recover(async () => {
      expect(await onlyCall(payer)).toMatchObject({ status: 'SUCCEEDED', charged: String(CHARGE) })
      expect(await fixture.charges(payer)).toBe(1)
      expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
    })
  })

  test('failure 21: after a report was captured, before its reply: the same report is accepted again, one charge', async () => {
    const payer = await fixture.payer()
    fixture.model.respondWith(breaksAfter(EVENTS.chunk))
    await fixture.stream(payer, 'k')
    const { id } = await onlyCall(payer)
    const trap = fixture.proxy.catchCommit('answers', [SETTLEMENTS])
    const reporting = report(fixture.on, secret, { invocationId: id, usage: USAGE }).catch(() => null)
    await trap.sprung
    await fixture.on.kill9()
    expect(await reporting).toBeNull()
    await aftermaths.recover(async () => {
      const again = await report(fixture.on, secret, { invocationId: id, usage: USAGE })
      expect(again).toMatchObject({ status: 200, body: { invocation: { status: 'SUCCEEDED' } } })
      const other = await report(fixture.on, secret, {
        invocationId: id,
        usage: { ...USAGE, outputTokens: 5 },
      })
      expect(other.body.code).toBe('USAGE_ALREADY_FINAL')
      expect(await fixture.charges(payer)).toBe(1)
      expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
    })
  })

  test('a second crash changes nothing that the first ones left', () => aftermaths.recoverAgain())
})

describe('failure 22: a connection that is lost at a COMMIT', () => {
  const places: readonly [what: string, at: CatchAt, statement: string][] = [
    ['the hold', 'request', HOLDS],
    ['the hold', 'commit-answer', HOLDS],
    ['the capture', 'request', SETTLEMENTS],
    ['the capture', 'commit-answer', SETTLEMENTS],
    ['the capture', 'answers', SETTLEMENTS],
  ]
  test.each(places)(
    'of %s (%s lost) of a stream is one call, one charge, one whole stream',
    async (_, at, statement) => {
      const payer = await fixture.payer()
      const called = countCalls()
      fixture.model.respondWith(sends(WHOLE))
      const trap = fixture.proxy.catchCommit(at, [statement])
      const streaming = fixture.stream(payer, 'k')
      await trap.sprung
      trap.cut()
      const { status, events } = await streaming
      expect([status, events.at(-2)?.name, events.at(-1)?.data]).toEqual([200, 'gateway', '[DONE]'])
      await expectPaid(payer)
      expect(called()).toBe(1)
    },
  )

  test.each(['request', 'commit-answer', 'answers'] as const)(
    'of a call that starts to wait for its usage (%s lost) leaves it waiting, once',
    async at => {
      const payer = await fixture.payer()
      fixture.model.respondWith(breaksAfter(EVENTS.chunk))
      const trap = fixture.proxy.catchCommit(at, [AWAITED])
      const streaming = fixture.stream(payer, 'k')
      await trap.sprung
      trap.cut()
      expect((await streaming).events.at(-1)?.name).toBe('error')
      const { id, status } = await onlyCall(payer)
      expect(status).toBe('PROCESSING')
      expect((await report(fixture.on, secret, { invocationId: id, usage: USAGE })).status).toBe(200)
      expect(await fixture.charges(payer)).toBe(1)
      await fixture.on.assertBooks()
    },
  )

  test.each(['request', 'commit-answer', 'answers'] as const)(
    'of a report (%s lost) is safe to send again: one charge, and its secret is debited once',
    async at => {
      const small = await issueSecret(fixture.on, fixture.provider, { creditLimit: '0.000040' })
      const payer = await fixture.payer()
      fixture.model.respondWith(breaksAfter(EVENTS.chunk))
      await fixture.stream(payer, 'k')
      const { id } = await onlyCall(payer)
      const trap = fixture.proxy.catchCommit(at, [SETTLEMENTS])
      const reporting = report(fixture.on, small, { invocationId: id, usage: USAGE })
      await trap.sprung
      trap.cut()
      const first = await reporting
      expect([200, 503]).toContain(first.status)
      const again = await report(fixture.on, small, { invocationId: id, usage: USAGE })
      expect(again.status).toBe(200)
      expect(await fixture.charges(payer)).toBe(1)
      expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
      await fixture.on.assertBooks()
    },
  )
})

describe('failure 26: a database that fails while a stream runs', () => {
  /** A stream whose model has said all while the database is gone. */
  const startStream = async (payer: Payer) => {
    fixture.model.begin()
    const caller = fixture.listen(payer, 'k')
    await fixture.model.untilOpen(1)
    await until('the stream has begun', () => caller.text() === EVENTS.chunk)
    const refusals = fixture.proxy.refusals()
    fixture.proxy.refuse()
    for (const { response } of fixture.model.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
    return { caller, refused: () => fixture.proxy.refusals() - refusals }
  }

  test('and recovers delays the bill, which is sent once', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    const { caller, refused } = await startStream(payer)
    await until('the gateway has tried in vain', () => refused() > 3)
    fixture.proxy.pass()
    await caller.over
    expect(caller.text().endsWith('data: [DONE]\n\n')).toBe(true)
    await expectPaid(payer)
    expect(called()).toBe(1)
    await fixture.on.assertBooks()
  })

  test('and stays away ends the stream with an error; the call is paid after recovery, and its key replays it', async () => {
    const payer = await fixture.payer()
    const called = countCalls()
    const { caller } = await startStream(payer)
    await caller.over
    expect(caller.text()).toContain('event: error')
    expect(caller.text()).not.toContain('[DONE]')
    fixture.proxy.pass()
    await until('the gateway serves again', async () => {
      const { status } = await fetch(`${fixture.on.url}/ready`)
      return status === 200
    })
    await until('the call is paid', async () => (await onlyCall(payer)).status === 'SUCCEEDED')
    await expectPaid(payer)
    expect(called()).toBe(1)
    await fixture.on.assertBooks()
  })
})
