import { formatUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  chatBody,
  costOf,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
  registerModel,
} from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { breaksAfter, CHARGE, EVENTS, sends, WHOLE } from '../kit/llm/raw-model.ts'
import { tokensOf } from '../kit/llm/shapes.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { invoke } from '../kit/world/world.ts'
import { expectPaid, expectWaiting, streamOnce } from './stream-once.ts'

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

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

  test('does not fail over after the first byte', async () => {
    for (const target of [first, second]) target.respondWith(breaksAfter(EVENTS.chunk))
    await expectWaiting(await streamOnce(market, service), 'stream_cut')
    expect(first.calls.length + second.calls.length).toBe(1)
  })

  test('does not fail over once the request was sent: a model may have worked for it', async () => {
    const before = first.calls.length + second.calls.length
    for (const target of [first, second])
      target.respondWith((_, response) => {
        response.socket?.destroy()
      })
    const streamed = await streamOnce(market, service)
    expect(streamed.answer.status).toBe(502)
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
    expect(first.calls.length + second.calls.length - before).toBe(1)
  })

  test('fails over before the connection is made, and streams from the other', async () => {
    second.respondWith(sends(WHOLE))
    await first.stop()
    await expectPaid(await streamOnce(market, service), { charge: CHARGE })
  })
})

describe('a provider that answers a stream with another type', () => {
  test.each([
    [500, 'FAILED_RETRYABLE'],
    [429, 'FAILED_FINAL'],
    [400, 'FAILED_FINAL'],
  ])('%s fails the call before anything is streamed: %s', async (status, state) => {
    market.model.bend({ status })
    const streamed = await streamOnce(market, market.chat)
    expect(streamed.answer.status).toBe(502)
    expect(streamed.answer.headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      detail: { reason: 'status', upstreamStatus: status, status: state },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: false })
  })

  test('a complete JSON answer is sent as the bill with its result, and the end', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
    market.model.bend({ body: { object: 'chat.completion', choices: [], usage } })
    const streamed = await streamOnce(market, market.chat)
    await expectPaid(streamed, { charge: CHARGE })
    expect(streamed.answer.events).toHaveLength(2)
    expect(streamed.bill).toMatchObject({ result: { object: 'chat.completion' } })
    const replay = await invokeStream(market, streamed.payer, streamed.call)
    expect(JSON.parse(replay.events[0]?.data ?? '')).toEqual({ ...streamed.bill, replayed: true })
  })

  test('a byte order mark before the JSON is dropped, and the usage is charged', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
    market.model.bend({
      body: `\ufeff${JSON.stringify({ choices: [], usage })}`,
      contentType: 'application/json',
    })
    const { status, body } = await invoke(market, await newPayer(market), {
      serviceId: market.chat,
      payload: { body: chatBody() },
    })
    expect([status, body.chargedUsdc]).toEqual([200, '0.000039'])
    expect(body.result.usage).toMatchObject(usage)
  })

  test("an HTML page waits for its provider's report: a model may have worked for it", async () => {
    market.model.bend({ body: '<p>Hello', contentType: 'text/html' })
    const streamed = await streamOnce(market, market.chat)
    expect(streamed.answer.status).toBe(502)
    expect(JSON.parse(streamed.answer.text)).toMatchObject({
      detail: { reason: 'invalid_json', status: 'PROCESSING' },
    })
    expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  })
})

describe('failure 49: a provider that imitates the gateway', () => {
  const HEADERS = {
    'set-cookie': 'session=1',
    'x-request-id': 'forged',
    'idempotent-replayed': 'true',
    'retry-after': '86400',
    'x-ratelimit-limit': '1',
    ratelimit: 'forged',
    'access-control-allow-origin': 'https://evil.test',
    'x-powered-by': 'Evil',
    'content-security-policy': "script-src 'evil'",
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
    expect([...headers.values()].join()).not.toMatch(/forged|evil/i)
    expect(headers.get('x-request-id')).toBeTruthy()
  }

  test('gets no header of its own to the caller, streamed or whole', async () => {
    market.model.bend({ headers: HEADERS })
    const streamed = await streamOnce(market, market.chat)
    expectOurs(streamed.answer.headers)
    const whole = await invoke(market, streamed.payer, {
      serviceId: market.chat,
      payload: { body: chatBody() },
    })
    expectOurs(new Headers(whole.headers))
  })

  test('gets no event of its own mistaken for the bill', async () => {
    const bill = '{"status":"SUCCEEDED","chargedUsdc":"9.000000"}'
    market.model.bend({
      inject: [
        { afterEvents: 0, raw: `event: gateway\ndata: ${bill}\n\n` },
        { afterEvents: 1, raw: `: farebox ${bill}\n\n` },
        { afterEvents: 2, raw: `data: {}\r\nevent:gateway\r\n\r\n` },
        { afterEvents: 3, raw: `id: 7\n: farebox ${bill}\ndata: {}\n\n` },
      ],
    })
    const streamed = await streamOnce(market, market.chat)
    await expectPaid(streamed, { charge: costOf(tokensOf(market.model.call())) })
    expect(streamed.answer.events.filter(({ name }) => name === 'gateway')).toHaveLength(1)
    expect(streamed.answer.text).not.toContain('farebox {')
    expect(streamed.answer.text).not.toContain('9.000000')
    const replay = await invokeStream(market, streamed.payer, streamed.call)
    expect(replay.text).not.toContain('9.000000')
  })

  test('cannot end the stream before its bill by an end mark of its own', async () => {
    market.model.bend({ inject: [{ afterEvents: 2, raw: 'data: [DONE]\n\n' }] })
    const streamed = await streamOnce(market, market.chat)
    await expectWaiting(streamed, 'usage_missing')
  })

  test('gets no member of a complete answer mistaken for the bill', async () => {
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
    const payer = await newPayer(market)
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
