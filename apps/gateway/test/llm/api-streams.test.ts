import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { breaksAfter, closed, type RawModel, sends, startRawModel } from '../kit/llm/raw-model.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { balanceOf, invoke, register } from '../kit/world/world.ts'

const PRICE = 10_000n
const PRICE_USDC = '0.010000'

/** Streams of one owner that are read on without their callers, at most; a setting. */
const ABANDONED_MAX = 3

const TICKS = 'event: tick\ndata: 1\nid: a\n\ndata: 2\n\n'

let market: LlmMarket
let api: RawModel
let serviceId: string
beforeAll(async () => {
  market = await openLlmMarket({ env: { ABANDONED_STREAMS_PER_OWNER: String(ABANDONED_MAX) } })
  api = await startRawModel(market)
  serviceId = await register(market, market.provider, { targets: [api.url], priceUsdc: PRICE_USDC })
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await api.stop()
  await market.stop()
})

const callOf = (more: Record<string, unknown> = {}) => ({
  serviceId,
  costUsdc: PRICE_USDC,
  idempotencyKey: 'k',
  responseMode: 'stream',
  payload: { body: { q: 1 } },
  ...more,
})
const expectSpent = async (payer: Payer, spent: bigint) =>
  expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - spent, held: 0n })

describe('a streamed call of a service at a fixed price', () => {
  test.each(['', 'data: [DONE]\n\n'])(
    'passes its events on, is paid at their end, and replays them for its key (end mark: %j)',
    async mark => {
      const payer = await newPayer(market)
      api.respondWith(sends(TICKS + mark))
      const answer = await invokeStream(market, payer, callOf())
      expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      expect(answer.text.startsWith(`${TICKS}event: gateway\n`)).toBe(true)
      const bill = JSON.parse(answer.events.at(-2)?.data ?? '') as Record<string, unknown>
      expect(bill).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: PRICE_USDC, result: null })
      expect(answer.events.at(-1)?.data).toBe('[DONE]')
      expect(api.calls.at(-1)?.headers.accept).toContain('text/event-stream')

      const calls = api.calls.length
      const replay = await invokeStream(market, payer, callOf())
      expect(replay.text.startsWith(`${TICKS}event: gateway\n`)).toBe(true)
      expect(JSON.parse(replay.events.at(-2)?.data ?? '')).toEqual({ ...bill, replayed: true })
      expect(api.calls.length).toBe(calls)
      await expectSpent(payer, PRICE)
    },
  )

  test('costs nothing when its stream is cut: released at once, permanently', async () => {
    const payer = await newPayer(market)
    api.respondWith(breaksAfter(TICKS))
    const answer = await invokeStream(market, payer, callOf())
    expect(answer.text.startsWith(TICKS)).toBe(true)
    expect(answer.events.at(-1)?.name).toBe('error')
    expect(JSON.parse(answer.events.at(-1)?.data ?? '')).toMatchObject({
      code: 'UPSTREAM_ERROR',
      detail: { reason: 'stream_cut', status: 'FAILED_FINAL' },
    })
    expect(answer.text).not.toContain('[DONE]')
    await expectSpent(payer, 0n)
    const replay = await invoke(market, payer, callOf())
    expect(replay).toMatchObject({ status: 502, body: { detail: { status: 'FAILED_FINAL' } } })
  })

  test('is paid when its caller leaves and the stream completes', async () => {
    const payer = await newPayer(market)
    api.begin(TICKS)
    const caller = listen(market, payer, callOf())
    await api.untilOpen(1)
    await until('it has begun', () => caller.text() === TICKS)
    caller.leave()
    await caller.over
    const [answer] = api.open
    answer?.response.end('data: 3\n\n')
    if (answer !== undefined) await closed(answer)
    await until('it is paid', async () => (await balanceOf(market, payer.owner)).held === 0n)
    await expectSpent(payer, PRICE)
    expect((await invokeStream(market, payer, callOf())).text.startsWith(`${TICKS}data: 3\n\n`)).toBe(true)
  })

  test('is paid by callers who leave after content, however many streams were abandoned before', async () => {
    const payer = await newPayer(market)
    const free = await register(market, payer.owner, { targets: [api.url], priceUsdc: '0.000000' })
    const desert = async (call: Record<string, unknown>) => {
      const opened = api.open.length
      const caller = listen(market, payer, call)
      await api.untilOpen(opened + 1)
      await until('it has begun', () => caller.text() === TICKS)
      caller.leave()
      await caller.over
      return api.open[opened]
    }
    api.begin(TICKS)
    const slow = { ...callOf(), serviceId: free, costUsdc: '0.000000' }
    for (let count = 0; count <= ABANDONED_MAX; count += 1)
      await desert({ ...slow, idempotencyKey: `f${count}` })
    // Each is missed at the next event; one of them is more than are read on.
    const write = () => {
      for (const { response } of api.open) if (!response.destroyed) response.write('data: 3\n\n')
    }
    await until('one is let go', () => {
      write()
      return api.open.some(({ response }) => response.destroyed)
    })
    const paid = await desert(callOf())
    await until('the paid one is let go', () => {
      write()
      return paid?.response.destroyed === true
    })
    await until('it is paid', async () => (await balanceOf(market, payer.owner)).held === 0n)
    await expectSpent(payer, PRICE)
    const replay = await invokeStream(market, payer, callOf())
    expect(replay.text).toContain(TICKS)
    expect(JSON.parse(replay.events.at(-1)?.data ?? '')).toMatchObject({
      detail: { reason: 'stream_cut', status: 'SUCCEEDED', chargedUsdc: PRICE_USDC },
    })
    for (const { response } of api.open) if (!response.destroyed) response.end()
    const ended = async () => (await market.sql('select 1 from open_calls')).length === 0
    await until('all is over', ended)
  })

  test('returns a JSON answer as the bill with its result, and the end', async () => {
    const payer = await newPayer(market)
    api.respondWith((_, response) => sendJson(response, 200, { fare: 3 }))
    const answer = await invokeStream(market, payer, callOf())
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.events).toHaveLength(2)
    expect(JSON.parse(answer.events[0]?.data ?? '')).toMatchObject({
      chargedUsdc: PRICE_USDC,
      result: { fare: 3 },
    })
    expect(answer.events[1]?.data).toBe('[DONE]')
    await expectSpent(payer, PRICE)
  })

  test("returns a provider's error as usual, before any stream", async () => {
    const payer = await newPayer(market)
    api.respondWith((_, response) => sendJson(response, 404, { error: 'none' }))
    const answer = await invokeStream(market, payer, callOf())
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.text)).toMatchObject({ detail: { upstreamStatus: 404, status: 'FAILED_FINAL' } })
    await expectSpent(payer, 0n)
  })

  test("removes what imitates the gateway from the provider's events", async () => {
    const payer = await newPayer(market)
    api.respondWith(sends(`event: gateway\ndata: {"chargedUsdc":"0.000000"}\n\n${TICKS}: farebox {}\n\n`))
    const answer = await invokeStream(market, payer, callOf())
    expect(answer.events.filter(({ name }) => name === 'gateway')).toHaveLength(1)
    expect(answer.text.startsWith(TICKS)).toBe(true)
    await expectSpent(payer, PRICE)
  })

  test('is refused at another price before the provider is called', async () => {
    const payer = await newPayer(market)
    const calls = api.calls.length
    const answer = await invokeStream(market, payer, callOf({ costUsdc: '0.02' }))
    expect(answer.status).toBe(422)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'PRICE_MISMATCH' })
    expect(api.calls.length).toBe(calls)
  })
})

describe('a service at a fixed price that streams unasked', () => {
  test('is answered whole, as text', async () => {
    const payer = await newPayer(market)
    api.respondWith(sends(TICKS))
    const answer = await invoke(market, payer, callOf({ responseMode: 'sync' }))
    expect(answer.body).toMatchObject({
      chargedUsdc: PRICE_USDC,
      result: { contentType: 'text/event-stream', text: TICKS },
    })
    await expectSpent(payer, PRICE)
  })

  test('passes a member `stream` of its body to the provider without acting on it', async () => {
    const payer = await newPayer(market)
    api.respondWith((_, response) => sendJson(response, 200, { fare: 3 }))
    const answer = await invoke(market, payer, {
      ...callOf({ responseMode: 'sync' }),
      payload: { body: { stream: true } },
    })
    expect(answer.body).toMatchObject({ result: { fare: 3 } })
    expect(JSON.parse(api.calls.at(-1)?.body ?? '')).toEqual({ stream: true })
  })
})
