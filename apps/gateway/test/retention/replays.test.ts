import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { report, SHAPES, tokensOf } from '../kit/llm/shapes.ts'
import { statusOf, waitingCall } from '../kit/llm/waiting-calls.ts'
import { get } from '../kit/network/http.ts'
import { callTool, connectMcp, textOf } from '../kit/network/mcp-client.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import type { Payer } from '../kit/world/payer.ts'
import { balanceOf, type InvokeBody, invoke, issueSecret, register } from '../kit/world/world.ts'
import { countKept, digestMoney, pruneAfter } from './aged.ts'

const PRICE_USDC = '0.010000'
/** Days of the default, and one more. */
const WITHIN = 29
const PAST = 31

let market: LlmMarket
let upstream: TestProvider
let echo: string

beforeAll(async () => {
  ;[market, upstream] = await Promise.all([openLlmMarket(), startProvider()])
  echo = await register(market, market.provider, {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
    manifest: { agentToolName: 'echo' },
  })
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(async () => {
  await upstream.stop()
  await market.stop()
})

const echoCall = (more: Record<string, unknown> = {}) => ({
  serviceId: echo,
  costUsdc: PRICE_USDC,
  idempotencyKey: 'k',
  payload: { body: { q: 1 } },
  ...more,
})

/** Returns how many requests reached a provider since the count began. */
function countReached(): () => number {
  const reached = () => upstream.calls.length + market.model.calls.length
  const before = reached()
  return () => reached() - before
}

const shownTo = (payer: Payer, invocationId: string) =>
  get(market, `/agent/invocations/${invocationId}`, { headers: { 'x-credential': payer.token } })

describe('a free call', () => {
  test('replays for a day; then its answer and its stream are gone, and it is never made again', async () => {
    const payer = await newPayer(market)
    const free = await register(market, market.provider, { targets: [upstream.url], priceUsdc: '0' })
    upstream.respondWith((call, response) => {
      if (!call.headers.accept?.includes('event-stream'))
        return sendJson(response, 200, { text: 'x'.repeat(9_000) })
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n')
    })
    const calls = [
      echoCall({ serviceId: free, costUsdc: '0' }),
      echoCall({ serviceId: free, costUsdc: '0', idempotencyKey: 's', responseMode: 'stream' }),
    ]
    const send = (call: Record<string, unknown>) => invokeStream(market, payer, call)
    const first = await Promise.all(calls.map(send))
    const paid = await invoke(market, payer, echoCall({ idempotencyKey: 'paid' }))
    expect(paid.status).toBe(200)
    const reached = countReached()

    expect(await pruneAfter(market, 0.9)).toBe(0)
    expect((await send(calls[0] ?? {})).text).toBe(first[0]?.text)
    const money = await digestMoney(market)
    expect(await pruneAfter(market, 1.1)).toBe(2)
    expect(await digestMoney(market)).toEqual(money)
    expect(await market.sql('select 1 from free_answers')).toEqual([])
    expect(await countKept(market)).toEqual({ answers: 1, streams: 0 })
    for (const call of calls) expect((await send(call)).text).toContain('"answerExpired":true')
    const again = await invoke(market, payer, echoCall({ idempotencyKey: 'paid' }))
    expect(again.body).toEqual(paid.body)
    expect(reached()).toBe(0)
    upstream.respondWith((_, response) => sendJson(response, 200, { number: upstream.calls.length }))
    await pruneAfter(market, PAST)
  })

  test('leaves nothing of ten thousand answers after a day', async () => {
    const old = (count: number, hours: number, prefix: string) =>
      market.sql(
        `with calls as (
           insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
             status, hold, drawn_at, finished_at, latency_ms, attempts, error_code)
           select $1 || lpad(i::text, 20, '0'), 'cred_free', $1 || i, '\\x00', '0xowner', '0xprovider', 'svc_free',
             'FAILED_FINAL', 0, clock_timestamp() - make_interval(hours => $3), now(), 1, 1, 'UPSTREAM_ERROR'
           from generate_series(1, $2::integer) i returning id),
         free as (insert into free_answers (invocation_id) select id from calls)
         insert into invocation_answers (invocation_id, http_status, body)
         select id, 200, repeat(md5(id), 20) from calls`,
        [prefix, count, hours],
      )
    await old(10_000, 25, 'inv_0')
    await old(10, 23, 'inv_1')
    expect(await pruneAfter(market, 0)).toBe(10_000)
    expect(await countKept(market)).toMatchObject({ answers: 10 })
    expect((await market.sql('select 1 from free_answers')).length).toBe(10)
    await pruneAfter(market, PAST)
  })
})

describe('a paid call at a fixed price', () => {
  test('replays in full for as long as answers are stored', async () => {
    const payer = await newPayer(market)
    const first = await invoke(market, payer, echoCall())
    const reached = countReached()
    expect(await pruneAfter(market, WITHIN)).toBe(0)
    const replay = await invoke(market, payer, echoCall())
    expect(replay).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
    expect(replay.body).toEqual(first.body)
    expect(reached()).toBe(0)
  })

  test('then replays its state, charge and receipt without the result, and is never made again', async () => {
    const payer = await newPayer(market)
    const first = await invoke(market, payer, echoCall())
    const before = { money: await digestMoney(market), balance: await balanceOf(market, payer.owner) }
    const reached = countReached()
    expect(await pruneAfter(market, PAST)).toBeGreaterThan(0)
    expect(await countKept(market)).toEqual({ answers: 0, streams: 0 })
    expect(await digestMoney(market)).toEqual(before.money)

    for (let again = 0; again < 3; again += 1) {
      const replay = await invoke(market, payer, echoCall())
      expect(replay).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
      const { invocationId, status, chargedUsdc, receipt } = first.body
      expect(replay.body).toEqual({
        invocationId,
        status,
        chargedUsdc,
        answerExpired: true,
        result: null,
        receipt: { ...receipt, responseHash: null },
      })
    }
    const twins = await Promise.all(Array.from({ length: 8 }, () => invoke(market, payer, echoCall())))
    expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([200]))
    expect(reached()).toBe(0)
    expect(await balanceOf(market, payer.owner)).toEqual(before.balance)
  })

  test('still conflicts with another request under the same key, however old the key is', async () => {
    const payer = await newPayer(market)
    await invoke(market, payer, echoCall())
    await pruneAfter(market, PAST)
    const reached = countReached()
    const other = await invoke(market, payer, echoCall({ payload: { body: { q: 2 } } }))
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } })
    expect(other.body.detail).not.toHaveProperty('answerExpired')
    expect(reached()).toBe(0)
  })

  test('is shown by id as it is replayed, with what is left of it', async () => {
    const payer = await newPayer(market)
    const { invocationId } = (await invoke(market, payer, echoCall())).body
    await pruneAfter(market, PAST)
    const replay = await invoke(market, payer, echoCall())
    const shown = await shownTo(payer, invocationId)
    expect(shown).toMatchObject({ status: 200 })
    expect(shown.body).toEqual({ ...replay.body, holdUsdc: PRICE_USDC, releasedUsdc: '0.000000' })
    const { body } = await get<{ logs: { invocationId: string; chargedUsdc: string }[] }>(
      market,
      '/usage/logs',
      { token: payer.owner.token },
    )
    expect(body.logs).toMatchObject([{ invocationId, chargedUsdc: PRICE_USDC, status: 'SUCCEEDED' }])
  })

  test("that failed replays its failure: code and state stay, the provider's message is gone", async () => {
    const payer = await newPayer(market)
    upstream.respondWith((_, response) => sendJson(response, 418, { said: 'no' }))
    const failed = await invoke(market, payer, echoCall())
    upstream.respondWith((_, response) => sendJson(response, 200, { number: 1 }))
    expect(failed).toMatchObject({ status: 502, body: { detail: { upstreamStatus: 418 } } })
    await pruneAfter(market, PAST)
    const reached = countReached()
    const replay = await invoke(market, payer, echoCall())
    const { invocationId } = failed.body.detail
    expect(replay).toMatchObject({ status: 502, headers: { 'idempotent-replayed': 'true' } })
    expect(replay.body.code).toBe('UPSTREAM_ERROR')
    expect(replay.body.detail).toEqual({
      code: 'UPSTREAM_ERROR',
      message: expect.any(String),
      invocationId,
      status: 'FAILED_FINAL',
      answerExpired: true,
    })
    expect((await shownTo(payer, String(invocationId))).body).toMatchObject({
      status: 'FAILED_FINAL',
      chargedUsdc: '0.000000',
      releasedUsdc: PRICE_USDC,
      error: { code: 'UPSTREAM_ERROR', answerExpired: true },
    })
    expect(reached()).toBe(0)
  })
})

describe.each(SHAPES)('a model called by $name', shape => {
  const callOf = (more: Record<string, unknown> = {}) => ({
    serviceId: shape.service(market),
    idempotencyKey: 'k',
    payload: { body: shape.body() },
    ...more,
  })

  test('then replays usage and bill without the result', async () => {
    const payer = await newPayer(market)
    const first = (await invoke(market, payer, callOf())).body as InvokeBody & Record<string, unknown>
    await pruneAfter(market, PAST)
    const reached = countReached()
    const replay = await invoke(market, payer, callOf())
    const { receipt } = first
    expect(replay.body).toEqual({
      ...first,
      answerExpired: true,
      result: null,
      receipt: { ...receipt, responseHash: null },
    })
    expect(reached()).toBe(0)
  })

  test('streamed, replays its events while they are stored; then the bill, and an error instead of the end', async () => {
    const payer = await newPayer(market)
    const streamed = callOf({ responseMode: 'stream' })
    const first = await invokeStream(market, payer, streamed)
    await pruneAfter(market, WITHIN)
    const reached = countReached()
    const kept = await invokeStream(market, payer, streamed)
    expect(kept.events.slice(0, -2)).toEqual(first.events.slice(0, -2))
    expect(kept.events.at(-1)?.data).toBe('[DONE]')

    await pruneAfter(market, PAST)
    const expired = await invokeStream(market, payer, streamed)
    expect(expired.headers.get('idempotent-replayed')).toBe('true')
    expect(expired.events.map(({ name }) => name)).toEqual(['gateway', 'error'])
    const [bill, error] = expired.events.map(({ data }) => JSON.parse(data) as Record<string, unknown>)
    const firstBill = JSON.parse(first.events.at(-2)?.data ?? '') as Record<string, unknown>
    const { usage, gateway, chargedUsdc, invocationId } = firstBill
    const reported = {
      usage,
      gateway,
      chargedUsdc,
      invocationId,
      result: null,
      answerExpired: true,
      replayed: true,
    }
    expect(bill).toMatchObject(reported)
    expect(error).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      detail: { chargedUsdc, answerExpired: true },
    })
    expect(expired.text).not.toContain('[DONE]')
    expect(reached()).toBe(0)
  })
})

test('a streamed call that awaits its usage keeps its recording, however old, and replays it once it is paid', async () => {
  const payer = await newPayer(market)
  market.model.bend({ usage: { replaceBy: undefined } })
  const call = { serviceId: market.chat, idempotencyKey: 'k', payload: { body: chatBody({ stream: true }) } }
  const waiting = await invokeStream(market, payer, call)
  expect(waiting.text).toContain('PROCESSING')
  await pruneAfter(market, PAST)
  expect(await countKept(market)).toEqual({ answers: 0, streams: 1 })
  const [row] = await market.sql<{ id: string }>("select id from invocations where status = 'PROCESSING'")
  const secret = await issueSecret(market, market.provider)
  const { input, output } = tokensOf(market.model.call())
  const usage = { inputTokens: input, outputTokens: output }
  expect(await report(market, secret, { invocationId: row?.id ?? '', usage })).toMatchObject({ status: 200 })
  const reached = countReached()
  const replay = await invokeStream(market, payer, call)
  expect(replay.text).toContain('"replayed":true')
  expect(replay.text).toContain('chat.completion.chunk')
  expect(reached()).toBe(0)
})

test('a complete answer with pending usage is stored until the usage is reported', async () => {
  const payer = await newPayer(market)
  const { invocationId, replay } = await waitingCall(market, payer)
  await pruneAfter(market, PAST)
  expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
  const secret = await issueSecret(market, market.provider)
  const usage = { inputTokens: 7, outputTokens: 3 }
  expect(await report(market, secret, { invocationId, usage })).toMatchObject({ status: 200 })
  expect((await replay()).body.result).toHaveProperty('choices')
})

describe('an expired answer', () => {
  const messages = [{ role: 'user' as const, content: 'What does the ferry cost?' }]
  const headers = { 'idempotency-key': 'through-an-api' }

  test('is a conflict in the OpenAI API, which the client does not retry', async () => {
    const payer = await newPayer(market)
    const client = new OpenAI({ apiKey: payer.token, baseURL: `${market.url}/v1`, maxRetries: 2 })
    const ask = { model: market.chat, messages, max_tokens: 40 }
    const replayed = { ...headers, 'x-stainless-retry-count': '0' }
    await client.chat.completions.create(ask, { headers: replayed })
    await client.chat.completions
      .create({ ...ask, stream: true }, { headers: { 'idempotency-key': 'a stream' } })
      .then(async stream => {
        for await (const _ of stream);
      })
    await pruneAfter(market, PAST)
    const reached = countReached()
    const before = await balanceOf(market, payer.owner)
    const reported = {
      status: 409,
      error: { farebox: { code: 'IDEMPOTENCY_CONFLICT', status: 'SUCCEEDED', answerExpired: true } },
    }
    await expect(client.chat.completions.create(ask, { headers: replayed })).rejects.toMatchObject(reported)
    await expect(
      client.chat.completions.create(
        { ...ask, stream: true },
        { headers: { 'idempotency-key': 'a stream' } },
      ),
    ).rejects.toMatchObject(reported)
    expect(reached()).toBe(0)
    expect(await balanceOf(market, payer.owner)).toEqual(before)
  })

  test('is a conflict in the Anthropic API', async () => {
    const payer = await newPayer(market)
    const client = new Anthropic({ apiKey: payer.token, baseURL: market.url, maxRetries: 2 })
    const ask = { model: market.messages, messages, max_tokens: 40 }
    await client.messages.create(ask, { headers })
    await pruneAfter(market, PAST)
    const reached = countReached()
    await expect(client.messages.create(ask, { headers })).rejects.toMatchObject({
      status: 409,
      error: { error: { type: 'conflict_error', farebox: { answerExpired: true } } },
    })
    expect(reached()).toBe(0)
  })

  test('is an MCP result with the charge, and how to call again', async () => {
    const payer = await newPayer(market)
    const client = await connectMcp(market, payer)
    const meta = { 'farebox/idempotencyKey': 'k' }
    const first = await callTool(client, 'echo', { q: 1 }, meta)
    expect(first.isError).toBeUndefined()
    await pruneAfter(market, PAST)
    const reached = countReached()
    const replay = await callTool(client, 'echo', { q: 1 }, meta)
    await client.close()
    expect(replay).toMatchObject({
      isError: true,
      structuredContent: { code: 'IDEMPOTENCY_CONFLICT', detail: { answerExpired: true } },
      _meta: { 'farebox/invocationId': first._meta?.['farebox/invocationId'] },
    })
    expect(textOf(replay)).toContain('charged 0.010000 USDC')
    expect(reached()).toBe(0)
  })
})
