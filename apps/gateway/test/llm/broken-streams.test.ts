import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, costOf, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import {
  breaksAfter,
  CHARGE,
  closed,
  EVENTS,
  type RawModel,
  sends,
  startEvents,
  startRawModel,
  WHOLE,
} from '../kit/llm/raw-model.ts'
import { SHAPES, tokensOf } from '../kit/llm/shapes.ts'
import type { Respond } from '../kit/provider/provider.ts'
import { balanceOf, invoke } from '../kit/world/world.ts'
import { expectPaid, expectWaiting, streamOnce } from './stream-once.ts'

const RESPONSE_BYTES_MAX = 3_000_000
const EVENT_BYTES_MAX = 2_097_152
const TIMES = { timeoutMs: 1_000, streamIdleTimeoutMs: 1_000, streamMaxMs: 60_000 }

let market: LlmMarket
let raw: RawModel
beforeAll(async () => {
  market = await openLlmMarket({ env: { UPSTREAM_STREAM_BYTES_MAX: String(RESPONSE_BYTES_MAX) } })
  raw = await startRawModel(market)
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(async () => {
  await raw.stop()
  await market.stop()
})

describe.each(SHAPES)('failure 51: a stream of $name that is cut', shape => {
  const streamShape = () => streamOnce(market, shape.service(market), shape.body({ stream: true }))

  test.each([0, 1, 3])('after %s events, before its usage, waits for it', async cutAfterEvents => {
    market.model.bend({ cutAfterEvents })
    const streamed = await streamShape()
    expect(streamed.answer.events).toHaveLength(cutAfterEvents + 1)
    await expectWaiting(streamed, 'stream_cut')
  })

  test('after its usage is charged, and still looks incomplete', async () => {
    market.model.bend({ cutAfterUsage: true })
    const streamed = await streamShape()
    const charge = costOf(tokensOf(market.model.call()))
    // The usage of the responses API is in its last event: nothing is missing.
    await expectPaid(streamed, shape.name === 'responses' ? { charge } : { charge, reason: 'stream_cut' })
    const replay = await invokeStream(market, streamed.payer, streamed.call)
    const unmarked = streamed.answer.text.replace(/^event: gateway\n(?:.*\n)*/m, '')
    expect(replay.text.startsWith(unmarked)).toBe(true)
    expect(replay.text.includes('[DONE]')).toBe(shape.name === 'responses')
  })

  test('without its end mark, but cleanly, is charged when its usage came', async () => {
    market.model.bend({ skipDone: true })
    await expectPaid(await streamShape(), { charge: costOf(tokensOf(market.model.call())) })
  })
})

describe('a stream', () => {
  const streamRaw = (respond: Respond) => {
    raw.respondWith(respond)
    return streamOnce(market, raw.service)
  }

  /** The charge of a stream that is cut: its prompt and the output so far, within its bound of 40 tokens. */
  const letGoAfter = (output: number) => {
    const input = Math.ceil(Buffer.byteLength(String(raw.calls.at(-1)?.body)) / 3) + 16
    return costOf({ input, output })
  }

  test('that breaks after its end mark is complete', async () => {
    await expectPaid(await streamRaw(breaksAfter(WHOLE)), { charge: CHARGE })
  })

  test('that never closes after its end mark ends for the caller, and its connection is closed', async () => {
    raw.begin(WHOLE)
    await expectPaid(await streamOnce(market, raw.service), { charge: CHARGE })
    const [answer] = raw.open
    expect(answer).toBeDefined()
    if (answer !== undefined) await closed(answer)
  })

  test('may omit the blank line after its last event', async () => {
    const text = (EVENTS.chunk + EVENTS.stop + EVENTS.usage).trimEnd()
    await expectPaid(await streamRaw(sends(text)), { charge: CHARGE })
    await expectPaid(await streamRaw(sends(WHOLE.trimEnd())), { charge: CHARGE })
  })

  test.each(['\r\n', '\r'])('may end its lines with %j', async end => {
    const streamed = await streamRaw(sends(WHOLE.replaceAll('\n', end)))
    expect(streamed.answer.text.startsWith((EVENTS.chunk + EVENTS.stop).replaceAll('\n', end))).toBe(true)
    expect(streamed.bill).toMatchObject({ status: 'SUCCEEDED' })
    expect(await streamed.money()).toEqual({ charge: CHARGE, isHeld: false })
  })

  test('may arrive byte by byte', async () => {
    market.model.bend({ bytesPerWrite: 1, reply: 'Fünf Münzen.' })
    const streamed = await streamOnce(market, market.chat)
    await expectPaid(streamed, { charge: costOf(tokensOf(market.model.call())) })
  })

  test('that is empty waits for its usage', async () => {
    await expectWaiting(await streamRaw(sends('')), 'usage_missing')
  })

  test('of garbage waits for its usage', async () => {
    await expectWaiting(
      await streamRaw(sends('data: {"choices":[{"ind\n\n\u0000\uFFFD: :\n\n')),
      'usage_missing',
    )
  })

  test('that is only an end mark waits for its usage', async () => {
    await expectWaiting(await streamRaw(sends(EVENTS.done)), 'usage_missing')
  })

  test('in which the provider reports an error never looks complete', async () => {
    const failed = `${EVENTS.chunk}data: {"error":{"message":"Overloaded."}}\n\n`
    await expectWaiting(await streamRaw(sends(failed)), 'usage_missing')
    const { answer } = await streamRaw(sends(failed + EVENTS.done))
    expect(answer.events.at(-1)?.name).toBe('error')
    expect(answer.text).not.toContain('[DONE]')
  })

  test('with an event over the limit is cut after the events before it, which are charged', async () => {
    const streamed = await streamRaw((_, response) => {
      startEvents(response)
      response.end(`${EVENTS.chunk}data: ${'x'.repeat(EVENT_BYTES_MAX)}\n\n${WHOLE}`)
    })
    await expectPaid(streamed, { charge: letGoAfter(1), reason: 'stream_cut' })
    expect(streamed.answer.text.startsWith(EVENTS.chunk)).toBe(true)
  })

  test('may end in an event of many members and of more than a MiB', async () => {
    const logprobs = Array.from({ length: 20_000 }, () => ({ token: 'x'.repeat(50) }))
    const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', logprobs }], usage }
    await expectPaid(
      await streamRaw(sends(`${EVENTS.chunk}data: ${JSON.stringify(last)}\n\n${EVENTS.done}`)),
      {
        charge: CHARGE,
      },
    )
  })

  test('over the limit of an answer is cut, and what came is charged', async () => {
    const big = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(100_000)}"}}]}\n\n`
    const streamed = await streamRaw(sends(big.repeat(40) + WHOLE))
    await expectPaid(streamed, { charge: letGoAfter(40), reason: 'stream_cut' })
    expect(streamed.answer.text.length).toBeLessThan(RESPONSE_BYTES_MAX + 100_000)
  })

  test('that is compressed is not read, and waits for its usage', async () => {
    const streamed = await streamRaw((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(gzipSync(WHOLE))
    })
    expect(streamed.answer.status).toBe(502)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({ detail: { status: 'PROCESSING' } })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  })
})

describe('failure 45: a provider that goes silent', () => {
  const startSlow = (times = TIMES) =>
    startRawModel(market, url => ({ invoke: { method: 'POST', ...times, targets: [{ url, weight: 1 }] } }))
  let slow: RawModel
  beforeAll(async () => {
    slow = await startSlow()
  })
  afterAll(() => slow.stop())

  test('in the middle of a stream is cut after too long a silence', async () => {
    const from = Date.now()
    slow.respondWith((_, response) => {
      startEvents(response)
      response.write(EVENTS.chunk)
    })
    await expectWaiting(await streamOnce(market, slow.service), 'stream_cut')
    expect(Date.now() - from).toBeLessThan(TIMES.streamMaxMs)
  })

  test('but for keep-alives is cut when its stream has taken too long in all', async () => {
    const times = { ...TIMES, streamMaxMs: 2_500 }
    const endless = await startSlow(times)
    endless.respondWith(async (_, response) => {
      startEvents(response)
      while (!response.destroyed) {
        response.write(': keep-alive\n\n')
        await nextTurn()
      }
    })
    const from = Date.now()
    await expectWaiting(await streamOnce(market, endless.service), 'stream_cut')
    expect(Date.now() - from).toBeGreaterThanOrEqual(times.streamMaxMs)
    await endless.stop()
  })

  test('before the head times out: nothing is charged and nothing stays held', async () => {
    slow.respondWith(() => undefined)
    const streamed = await streamOnce(market, slow.service)
    expect(streamed.answer.status).toBe(504)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      code: 'UPSTREAM_ERROR',
      detail: { reason: 'timeout', status: 'FAILED_RETRYABLE' },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
  })

  test("in the middle of a complete answer waits for its provider's report", async () => {
    slow.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"usage":')
    })
    const payer = await newPayer(market)
    const call = { serviceId: slow.service, payload: { body: chatBody() } }
    const answer = await invoke(market, payer, call)
    expect(answer).toMatchObject({ status: 502, body: { detail: { status: 'PROCESSING' } } })
    expect((await balanceOf(market, payer.owner)).held).toBeGreaterThan(0n)
  })
})
