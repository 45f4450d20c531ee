import { formatUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  chatBody,
  costOf,
  eventsOf,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
} from '../kit/llm/llm-market.ts'
import { get } from '../kit/network/http.ts'
import { balanceOf, invoke, mint } from '../kit/world/world.ts'

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

const tokensOfLast = () => {
  const { tokens } = market.model.call()
  if (tokens === null) throw new Error('The model counted nothing.')
  return tokens
}

describe('a metered call', () => {
  test('is held by the documented formula, charged its final usage rounded up once, and the rest is released', async () => {
    const before = await balanceOf(market, market.owner)
    const body = { serviceId: market.chat, payload: { body: chatBody() } }
    const answer = await invoke(market, market.credential, body)
    expect(answer.status).toBe(200)
    const sent = market.model.call().text
    const promptTokens = Math.ceil(Buffer.byteLength(sent) / 3) + 16
    const hold = Math.ceil(((promptTokens * 1.5 + 40 * 6) * 12) / 10)
    const tokens = tokensOfLast()
    const charge = costOf(tokens)
    const six = (micros: number) => (micros / 1e6).toFixed(6)
    expect(answer.body).toMatchObject({
      status: 'SUCCEEDED',
      chargedUsdc: formatUsdc(charge),
      usage: {
        inputTokens: tokens.input,
        outputTokens: tokens.output,
        totalTokens: tokens.input + tokens.output,
      },
      gateway: {
        priceModel: 'token_metered',
        holdUsdc: six(hold),
        chargedUsdc: formatUsdc(charge),
        releasedUsdc: six(hold - Number(charge)),
        preAuthMode: 'auto',
      },
      result: { object: 'chat.completion' },
    })
    const after = await balanceOf(market, market.owner)
    expect(before.available - after.available).toBe(charge)
    expect(after.held).toBe(0n)
  })

  test('writes the bound on output tokens into the forwarded body, and sends it compact', async () => {
    const { max_tokens: _, ...unbounded } = chatBody()
    await invoke(market, market.credential, { serviceId: market.chat, payload: { body: unbounded } })
    const { body, text } = market.model.call()
    expect(body).toEqual({ ...unbounded, max_tokens: 256 })
    expect(text).toBe(JSON.stringify(body))
  })

  test('is held at maxCostUsdc if given, and charged at most that', async () => {
    market.model.bend({ usage: { replaceBy: { prompt_tokens: 500, completion_tokens: 40 } } })
    const call = { serviceId: market.chat, payload: { body: chatBody() }, maxCostUsdc: '0.000500' }
    const answer = await invoke(market, market.credential, call)
    expect(answer.body).toMatchObject({
      chargedUsdc: '0.000500',
      gateway: { holdUsdc: '0.000500', releasedUsdc: '0.000000', preAuthMode: 'explicit', capped: true },
    })
    const [row] = await market.sql<{ cost: string }>(
      'select cost from metered_calls where invocation_id = $1',
      [answer.body.invocationId],
    )
    expect(BigInt(row?.cost ?? 0)).toBe(costOf({ input: 500, output: 40 }))
  })

  test('asks the model for no more output than maxCostUsdc covers', async () => {
    market.model.bend({ reply: 'word '.repeat(5_000) })
    const body = chatBody({ max_tokens: 10_000 })
    const promptTokens = Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3) + 16
    const call = { serviceId: market.chat, payload: { body }, maxCostUsdc: '0.000300' }
    const answer = await invoke(market, market.credential, call)
    const bound = Math.floor((300 - promptTokens * 1.5) / 6)
    expect(market.model.call().body).toEqual({ ...body, max_tokens: bound })
    const tokens = tokensOfLast()
    expect(tokens.output).toBe(bound)
    expect(costOf(tokens)).toBeLessThanOrEqual(300n)
    expect(answer.body).toMatchObject({ chargedUsdc: formatUsdc(costOf(tokens)), status: 'SUCCEEDED' })
    expect(answer.body).not.toHaveProperty('gateway.capped')
  })

  test('is refused before it is forwarded when maxCostUsdc is below prompt and one token', async () => {
    const broke = await mint(market, market.owner, { creditLimit: '0' })
    const calls = market.model.calls.length
    const call = { serviceId: market.chat, payload: { body: chatBody({ max_tokens: 400 }) } }
    const refused = await invoke(market, broke, { ...call, maxCostUsdc: '0' })
    expect([refused.status, refused.body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    const least = String(refused.body.detail.requiredHoldUsdc)
    expect(Number(least)).toBeGreaterThan(0)
    expect((await invoke(market, broke, { ...call, maxCostUsdc: least })).body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'credential_credit', requiredUsdc: least },
    })
    expect(market.model.calls.length).toBe(calls)
    const paid = await invoke(market, market.credential, { ...call, maxCostUsdc: least })
    expect(paid.body).toMatchObject({ status: 'SUCCEEDED', usage: { outputTokens: 1 } })
  })

  test('above the cap of the service is refused, with the largest max_tokens that passes', async () => {
    const call = (max_tokens: number) => ({
      serviceId: market.chat,
      payload: { body: chatBody({ max_tokens }) },
    })
    const refused = await invoke(market, market.credential, call(200_000))
    expect(refused.status).toBe(422)
    expect(refused.body.code).toBe('LLM_AUTO_HOLD_LIMIT_EXCEEDED')
    expect(refused.body.detail).toMatchObject({ maxAutoHoldUsdc: '1.000000' })
    const affordable = Number(refused.body.detail.affordableMaxTokens)
    const calls = market.model.calls.length
    expect((await invoke(market, market.credential, call(affordable + 1))).status).toBe(422)
    expect(market.model.calls.length).toBe(calls)
    market.model.bend({ reply: 'Yes.' })
    expect((await invoke(market, market.credential, call(affordable))).status).toBe(200)
  })

  test('that the budget does not cover is refused with the name of the limit, and never forwarded', async () => {
    const poor = await mint(market, market.owner, { creditLimit: '0.000001' })
    const calls = market.model.calls.length
    const refused = await invoke(market, poor, { serviceId: market.chat, payload: { body: chatBody() } })
    expect(refused.status).toBe(402)
    expect(refused.body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'credential_credit', remainingUsdc: '0.000001' },
    })
    expect(market.model.calls.length).toBe(calls)
  })
})

describe('a streamed call', () => {
  test('passes the events on unchanged, then the whole bill, then the end', async () => {
    const body = chatBody({ stream: true })
    const answer = await invokeStream(market, market.credential, {
      serviceId: market.chat,
      idempotencyKey: 'stream-1',
      payload: { body },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(market.model.call().body).toEqual({ ...body, stream_options: { include_usage: true } })
    const bill = answer.events.at(-2)
    expect(answer.events.at(-1)).toMatchObject({ data: '[DONE]' })
    expect(bill?.name).toBe('gateway')
    const tokens = tokensOfLast()
    const result = JSON.parse(bill?.data ?? '') as Record<string, unknown>
    expect(result).toMatchObject({
      status: 'SUCCEEDED',
      chargedUsdc: formatUsdc(costOf(tokens)),
      usage: { inputTokens: tokens.input, outputTokens: tokens.output },
      gateway: { priceModel: 'token_metered', preAuthMode: 'auto' },
      result: null,
    })
    const events = answer.events.slice(0, -2)
    expect(events.every(event => event.name === '' && event.data.startsWith('{'))).toBe(true)

    const replay = await invokeStream(market, market.credential, {
      serviceId: market.chat,
      idempotencyKey: 'stream-1',
      payload: { body },
    })
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(replay.events.slice(0, -2)).toEqual(events)
    expect(JSON.parse(replay.events.at(-2)?.data ?? '')).toEqual({ ...result, replayed: true })
    expect(replay.events.at(-1)).toMatchObject({ data: '[DONE]' })
    const reported = await get(market, `/agent/invocations/${String(result.invocationId)}`, {
      headers: { 'x-credential': market.credential.token },
    })
    expect(reported.body).toMatchObject({ status: 'SUCCEEDED', usage: result.usage })
  })

  test('that breaks off before its usage ends with an error and keeps its hold', async () => {
    market.model.bend({ cutAfterEvents: 3 })
    const call = {
      serviceId: market.chat,
      idempotencyKey: 'cut',
      payload: { body: chatBody({ stream: true }) },
    }
    const answer = await invokeStream(market, market.credential, call)
    const last = answer.events.at(-1)
    expect(last?.name).toBe('error')
    expect(JSON.parse(last?.data ?? '')).toMatchObject({
      code: 'UPSTREAM_ERROR',
      detail: { reason: 'stream_cut', status: 'PROCESSING' },
    })
    expect(answer.text).not.toContain('[DONE]')
    expect((await balanceOf(market, market.owner)).held).toBeGreaterThan(0n)
    const again = await invoke(market, market.credential, call)
    expect([again.status, again.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(eventsOf(answer.text).length).toBe(4)
  })
})

describe('a metered charge', () => {
  test("is earned by the provider minus the platform's fee, rounded down", async () => {
    const withFee = await openLlmMarket({ env: { PLATFORM_FEE_BPS: '250' } })
    try {
      const call = { serviceId: withFee.chat, payload: { body: chatBody({ stream: true }) } }
      await invokeStream(withFee, withFee.credential, call)
      const { tokens } = withFee.model.call()
      const charge = costOf(tokens ?? { input: 0, output: 0 })
      const fee = (charge * 250n) / 10_000n
      expect(fee).toBeGreaterThan(0n)
      expect((await balanceOf(withFee, withFee.provider)).receivable).toBe(charge - fee)
      await withFee.assertBooks()
    } finally {
      await withFee.stop()
    }
  })
})
