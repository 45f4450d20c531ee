import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Respond, startProvider, type TestProvider } from '../provider.ts'
import { balanceOf, invoke, mint, ownerWith } from '../world.ts'
import { chatBody, costOf, invokeStream, type LlmMarket, openLlmMarket, registerModel } from './market.ts'
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
} from './raw-model.ts'
import { SHAPES, tokensOf } from './shapes.ts'

const FUNDS = 10_000_000n
const RESPONSE_BYTES_MAX = 3_000_000
const EVENT_BYTES_MAX = 1_048_576
const TIMEOUT_MS = 400

let market: LlmMarket
let raw: RawModel
beforeAll(async () => {
  market = await openLlmMarket({ env: { UPSTREAM_RESPONSE_BYTES_MAX: String(RESPONSE_BYTES_MAX) } })
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

async function newPayer() {
  const owner = await ownerWith(market, '10')
  return { owner, ...(await mint(market, owner)) }
}

type Ending = { readonly status: string; readonly reason?: unknown; readonly charge: bigint }

/** One streamed call of a model, and what has become of its money. */
async function streamOnce(serviceId: string, body: Record<string, unknown> = chatBody({ stream: true })) {
  const payer = await newPayer()
  const call = { serviceId, idempotencyKey: 'k', payload: { body } }
  const answer = await invokeStream(market, payer, call)
  const parsed = (name: string) => {
    const event = answer.events.find(seen => seen.name === name)
    return event === undefined ? null : (JSON.parse(event.data) as Record<string, unknown>)
  }
  const money = async () => {
    const { available, held } = await balanceOf(market, payer.owner)
    return { charge: FUNDS - available - held, isHeld: held > 0n }
  }
  const kept = async () => {
    const [row] = await market.sql<{ status: string }>(
      'select status from invocations where credential_id = $1',
      [payer.id],
    )
    return row?.status
  }
  return { payer, call, answer, bill: parsed('gateway'), error: parsed('error'), money, kept }
}
type Streamed = Awaited<ReturnType<typeof streamOnce>>

/** Expects that a stream looks cut, and that its money waits for the provider. */
async function expectWaiting(streamed: Streamed, reason: string): Promise<void> {
  const { answer, bill, error } = streamed
  expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', detail: { reason, status: 'PROCESSING' } })
  expect(bill).toBeNull()
  expect(answer.events.at(-1)?.name).toBe('error')
  expect(answer.text).not.toContain('[DONE]')
  expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  expect(await streamed.kept()).toBe('PROCESSING')
}

/** Expects that a stream is charged; whole ones end as they should, cut ones say so. */
async function expectPaid(streamed: Streamed, { charge, reason }: Omit<Ending, 'status'>): Promise<void> {
  const { answer, bill, error } = streamed
  expect(bill).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: formatUsdc(usdc(charge)) })
  if (reason === undefined) {
    expect(error).toBeNull()
    expect(answer.events.at(-1)?.data).toBe('[DONE]')
    expect(answer.events.at(-2)?.name).toBe('gateway')
    expect(answer.text.match(/\[DONE\]/g)).toHaveLength(1)
  } else {
    expect(error).toMatchObject({ detail: { reason, status: 'SUCCEEDED', chargedUsdc: bill?.chargedUsdc } })
    expect(answer.events.at(-1)?.name).toBe('error')
    expect(answer.text).not.toContain('[DONE]')
  }
  expect(await streamed.money()).toEqual({ charge, isHeld: false })
  expect(await streamed.kept()).toBe('SUCCEEDED')
}

describe.each(SHAPES)('failure 51: a stream of $name that is cut', shape => {
  const streamShape = () => streamOnce(shape.service(market), shape.body({ stream: true }))

  test.each([0, 1, 3])('after %s events, before its usage, waits for it', async cutAfterEvents => {
    market.model.bend({ cutAfterEvents })
    const streamed = await streamShape()
    expect(streamed.answer.events).toHaveLength(cutAfterEvents + 1)
    await expectWaiting(streamed, 'stream_cut')
  })

  test('after its usage is charged, and still does not look whole', async () => {
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

  test('without its end mark, but in order, is charged when its usage came', async () => {
    market.model.bend({ skipDone: true })
    await expectPaid(await streamShape(), { charge: costOf(tokensOf(market.model.call())) })
  })
})

describe('a stream', () => {
  const streamRaw = (respond: Respond) => {
    raw.respondWith(respond)
    return streamOnce(raw.service)
  }

  test('that breaks after its end mark was whole', async () => {
    await expectPaid(await streamRaw(breaksAfter(WHOLE)), { charge: CHARGE })
  })

  test('that never closes after its end mark is over for the caller, and its connection is given up', async () => {
    raw.begin(WHOLE)
    await expectPaid(await streamOnce(raw.service), { charge: CHARGE })
    const [answer] = raw.open
    expect(answer).toBeDefined()
    if (answer !== undefined) await closed(answer)
  })

  test('may leave out the blank line after its last event', async () => {
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

  test('may come in pieces of a byte each', async () => {
    market.model.bend({ bytesPerWrite: 1, reply: 'Fünf Münzen.' })
    const streamed = await streamOnce(market.chat)
    await expectPaid(streamed, { charge: costOf(tokensOf(market.model.call())) })
  })

  test('of nothing at all waits for its usage', async () => {
    await expectWaiting(await streamRaw(sends('')), 'usage_missing')
  })

  test('of nonsense waits for its usage', async () => {
    await expectWaiting(
      await streamRaw(sends('data: {"choices":[{"ind\n\n\u0000\uFFFD: :\n\n')),
      'usage_missing',
    )
  })

  test('that is only an end mark waits for its usage', async () => {
    await expectWaiting(await streamRaw(sends(EVENTS.done)), 'usage_missing')
  })

  test('in which the provider says that it failed is none that looks whole', async () => {
    const failed = `${EVENTS.chunk}data: {"error":{"message":"Overloaded."}}\n\n`
    await expectWaiting(await streamRaw(sends(failed)), 'usage_missing')
    const { answer } = await streamRaw(sends(failed + EVENTS.done))
    expect(answer.events.at(-1)?.name).toBe('error')
    expect(answer.text).not.toContain('[DONE]')
  })

  test('with an event over the limit is cut, and the events before it are there', async () => {
    const streamed = await streamRaw((_, response) => {
      startEvents(response)
      response.end(`${EVENTS.chunk}data: ${'x'.repeat(EVENT_BYTES_MAX)}\n\n${WHOLE}`)
    })
    await expectWaiting(streamed, 'stream_cut')
    expect(streamed.answer.text.startsWith(EVENTS.chunk)).toBe(true)
  })

  test('over the limit of an answer is cut', async () => {
    const big = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(100_000)}"}}]}\n\n`
    const streamed = await streamRaw(sends(big.repeat(40) + WHOLE))
    await expectWaiting(streamed, 'stream_cut')
    expect(streamed.answer.text.length).toBeLessThan(RESPONSE_BYTES_MAX + 100_000)
  })

  test('that is encoded is not read: nobody can say what it says', async () => {
    const streamed = await streamRaw((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(gzipSync(WHOLE))
    })
    expect(streamed.answer.status).toBe(502)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({ detail: { status: 'PROCESSING' } })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  })
})

describe('failure 45: a provider that falls silent', () => {
  let slow: RawModel
  beforeAll(async () => {
    slow = await startRawModel(market, url => ({
      invoke: { method: 'POST', timeoutMs: TIMEOUT_MS, targets: [{ url, weight: 1 }] },
    }))
  })
  afterAll(() => slow.stop())

  test('in the middle of a stream is cut at the deadline of the call', async () => {
    slow.respondWith((_, response) => {
      startEvents(response)
      response.write(EVENTS.chunk)
    })
    await expectWaiting(await streamOnce(slow.service), 'stream_cut')
  })

  test('while it drips keep-alives is cut at the deadline all the same', async () => {
    slow.respondWith(async (_, response) => {
      startEvents(response)
      while (!response.destroyed) {
        response.write(': keep-alive\n\n')
        await nextTurn()
      }
    })
    const from = Date.now()
    await expectWaiting(await streamOnce(slow.service), 'stream_cut')
    expect(Date.now() - from).toBeLessThan(TIMEOUT_MS + 2_000)
  })

  test('before the head is given up: nothing is charged and nothing stays held', async () => {
    slow.respondWith(() => undefined)
    const streamed = await streamOnce(slow.service)
    expect(streamed.answer.status).toBe(504)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      code: 'UPSTREAM_ERROR',
      detail: { reason: 'timeout', status: 'FAILED_RETRYABLE' },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
  })

  test("in the middle of a whole answer leaves the call to its provider's word", async () => {
    slow.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"usage":')
    })
    const payer = await newPayer()
    const call = { serviceId: slow.service, payload: { body: chatBody() } }
    const answer = await invoke(market, payer, call)
    expect(answer).toMatchObject({ status: 502, body: { detail: { status: 'PROCESSING' } } })
    expect((await balanceOf(market, payer.owner)).held).toBeGreaterThan(0n)
  })
})

describe('failure 52: a model with two targets', () => {
  let first: TestProvider
  let second: TestProvider
  let service: string
  beforeAll(async () => {
    ;[first, second] = await Promise.all([startProvider(), startProvider()])
    service = await registerModel(market, market.provider, {
      url: first.url,
      manifest: {
        invoke: {
          method: 'POST',
          targets: [
            { url: `${first.url}chat`, weight: 10_000 },
            { url: `${second.url}chat`, weight: 1 },
          ],
        },
      },
    })
  })
  afterAll(() => Promise.all([first.stop(), second.stop()]))

  test('fails over to nobody once the first byte is there', async () => {
    for (const target of [first, second]) target.respondWith(breaksAfter(EVENTS.chunk))
    await expectWaiting(await streamOnce(service), 'stream_cut')
    expect(first.calls.length + second.calls.length).toBe(1)
  })

  test('fails over to nobody when the request was sent: a model may have worked for it', async () => {
    const before = first.calls.length + second.calls.length
    for (const target of [first, second])
      target.respondWith((_, response) => {
        response.socket?.destroy()
      })
    const streamed = await streamOnce(service)
    expect(streamed.answer.status).toBe(502)
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
    expect(first.calls.length + second.calls.length - before).toBe(1)
  })

  test('fails over before the connection is made, and streams from the other', async () => {
    second.respondWith(sends(WHOLE))
    await first.stop()
    await expectPaid(await streamOnce(service), { charge: CHARGE })
  })
})

describe('a provider that answers a stream with something else', () => {
  test.each([
    [500, 'FAILED_RETRYABLE'],
    [429, 'FAILED_FINAL'],
    [400, 'FAILED_FINAL'],
  ])('%s fails the call before anything is streamed: %s', async (status, state) => {
    market.model.bend({ status })
    const streamed = await streamOnce(market.chat)
    expect(streamed.answer.status).toBe(502)
    expect(streamed.answer.headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      detail: { reason: 'status', upstreamStatus: status, status: state },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
  })

  test('a whole JSON answer comes as the bill with its result, and the end', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
    market.model.bend({ body: { object: 'chat.completion', choices: [], usage } })
    const streamed = await streamOnce(market.chat)
    await expectPaid(streamed, { charge: CHARGE })
    expect(streamed.answer.events).toHaveLength(2)
    expect(streamed.bill).toMatchObject({ result: { object: 'chat.completion' } })
    const replay = await invokeStream(market, streamed.payer, streamed.call)
    expect(JSON.parse(replay.events[0]?.data ?? '')).toEqual({ ...streamed.bill, replayed: true })
  })

  test("a page waits for its provider's word: a model may have worked for it", async () => {
    market.model.bend({ body: '<p>Hello', contentType: 'text/html' })
    const streamed = await streamOnce(market.chat)
    expect(streamed.answer.status).toBe(502)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      detail: { reason: 'invalid_json', status: 'PROCESSING' },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  })
})

describe('failure 49: a provider that poses as the gateway', () => {
  const HEADERS = {
    'set-cookie': 'session=1',
    'x-request-id': 'forged',
    'idempotent-replayed': 'true',
    'retry-after': '86400',
    'x-ratelimit-limit': '1',
    ratelimit: 'forged',
    'access-control-allow-origin': 'https://evil.test',
    'x-powered-by': 'Evil',
    'content-security-policy': 'none',
  }
  const expectOurs = (headers: Headers) => {
    for (const name of [
      'set-cookie',
      'idempotent-replayed',
      'retry-after',
      'x-ratelimit-limit',
      'x-powered-by',
    ])
      expect([name, headers.get(name)]).toEqual([name, null])
    expect([...headers.values()].join()).not.toMatch(/forged|evil|none/i)
    expect(headers.get('x-request-id')).toBeTruthy()
  }

  test('has no header of its own reach the caller, streamed or whole', async () => {
    market.model.bend({ headers: HEADERS })
    const streamed = await streamOnce(market.chat)
    expectOurs(streamed.answer.headers)
    const whole = await invoke(market, streamed.payer, {
      serviceId: market.chat,
      payload: { body: chatBody() },
    })
    expectOurs(new Headers(whole.headers))
  })

  test('has no event of its own taken for the bill', async () => {
    const bill = '{"status":"SUCCEEDED","chargedUsdc":"9.000000"}'
    market.model.bend({
      inject: [
        { afterEvents: 0, raw: `event: gateway\ndata: ${bill}\n\n` },
        { afterEvents: 1, raw: `: farebox ${bill}\n\n` },
        { afterEvents: 2, raw: `data: {}\r\nevent:gateway\r\n\r\n` },
        { afterEvents: 3, raw: `id: 7\n: farebox ${bill}\ndata: {}\n\n` },
      ],
    })
    const streamed = await streamOnce(market.chat)
    await expectPaid(streamed, { charge: costOf(tokensOf(market.model.call())) })
    expect(streamed.answer.events.filter(({ name }) => name === 'gateway')).toHaveLength(1)
    expect(streamed.answer.text).not.toContain('farebox {')
    expect(streamed.answer.text).not.toContain('9.000000')
    const replay = await invokeStream(market, streamed.payer, streamed.call)
    expect(replay.text).not.toContain('9.000000')
  })

  test('has no end mark of its own end the stream before its bill', async () => {
    market.model.bend({ inject: [{ afterEvents: 2, raw: 'data: [DONE]\n\n' }] })
    const streamed = await streamOnce(market.chat)
    await expectWaiting(streamed, 'usage_missing')
  })

  test('has no member of a whole answer taken for the bill', async () => {
    const forged = { chargedUsdc: '9.000000', status: 'FAILED_FINAL', invocationId: 'inv_forged' }
    market.model.bend({
      mapAnswer: answer => ({
        ...answer,
        ...forged,
        gateway: forged,
        text: ',"result":{}}',
        usage: answer.usage,
      }),
    })
    const payer = await newPayer()
    const answer = await invoke(market, payer, { serviceId: market.chat, payload: { body: chatBody() } })
    const charge = costOf(tokensOf(market.model.call()))
    expect(answer.body).toMatchObject({
      status: 'SUCCEEDED',
      chargedUsdc: formatUsdc(charge),
      gateway: { chargedUsdc: formatUsdc(charge) },
      result: forged,
    })
    expect(answer.body.invocationId).toMatch(/^inv_(?!forged)/)
  })
})
