import { formatUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { chatBody, costOf, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { report, tokensOf } from '../kit/llm/shapes.ts'
import { statusOf, waitingCall } from '../kit/llm/waiting-calls.ts'
import { send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { countCharges } from '../kit/world/payer.ts'
import { arrive, balanceOf, endNotices, invoke, issueSecret, register } from '../kit/world/world.ts'

let market: LlmMarket
let secret: string
beforeAll(async () => {
  market = await openLlmMarket()
  secret = await issueSecret(market, market.provider)
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

describe('a late report', () => {
  const names: readonly [string, (tokens: { input: number; output: number }) => Record<string, unknown>][] = [
    ['our own names', ({ input, output }) => ({ inputTokens: input, outputTokens: output })],
    [
      "the names of OpenAI's chat completions",
      ({ input, output }) => ({
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
      }),
    ],
    [
      "the names of OpenAI's responses",
      ({ input, output }) => ({ input_tokens: input, output_tokens: output }),
    ],
    [
      'the names of Anthropic, with a cache',
      ({ input, output }) => ({ input_tokens: input - 2, cache_read_input_tokens: 2, output_tokens: output }),
    ],
  ]
  test.each(
    names.flatMap(
      ([name, make]) =>
        [
          [name, make],
          [`${name}, under usage`, (tokens: { input: number; output: number }) => ({ usage: make(tokens) })],
        ] as const,
    ),
  )('in %s captures the call once, at its prices', async (_, make) => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
    const tokens = tokensOf(market.model.call())
    const charge = costOf(tokens)
    const calls = market.model.calls.length
    const reported = await report(market, secret, { invocationId, usage: make(tokens) })
    expect(reported).toMatchObject({
      status: 200,
      body: { invocation: { status: 'SUCCEEDED', chargedUsdc: formatUsdc(charge) } },
    })
    const answer = await replay()
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: {
        status: 'SUCCEEDED',
        chargedUsdc: formatUsdc(charge),
        usage: { inputTokens: tokens.input, outputTokens: tokens.output },
        gateway: { priceModel: 'token_metered', preAuthMode: 'auto' },
        result: { object: 'chat.completion' },
      },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - charge, held: 0n })

    const again = await report(market, secret, { invocationId, usage: make(tokens) })
    expect(again).toMatchObject({ status: 200, body: reported.body })
    const other = await report(market, secret, {
      invocationId,
      usage: make({ ...tokens, output: tokens.output + 1 }),
    })
    expect([other.status, other.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect((await replay()).body).toEqual(answer.body)
    expect(await countCharges(market, payer.owner)).toBe(1)
    expect(market.model.calls.length).toBe(calls)
  })

  test('failure 8: comes too late for another price: the call is charged at the one it was admitted at', async () => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
    const price = (output: string) =>
      send(market.url, `/api/v1/services/${market.chat}`, {
        method: 'PUT',
        token: market.provider.token,
        body: { outputPricePer1MTokensUsdc: output },
      })
    expect((await price('600')).status).toBe(200)
    await endNotices(market)
    const usage = { inputTokens: 4, outputTokens: 9 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body.chargedUsdc).toBe('0.000060')
    expect((await price('6')).status).toBe(200)
  })

  test('is charged the fee of its hold, whatever the fee of the reporting gateway', async () => {
    const other = await startTestGateway({ share: market, env: { PLATFORM_FEE_BPS: '5000' } })
    const payer = await newPayer(market)
    const feesOf = async (invocationId: string) =>
      (await market.sql('select charged::int, fee::int from invocations where id = $1', [invocationId]))[0]
    const before = await waitingCall(market, payer)
    const usage = { inputTokens: 4, outputTokens: 9 }
    expect((await report(other, secret, { invocationId: before.invocationId, usage })).status).toBe(200)
    expect(await feesOf(before.invocationId)).toEqual({ charged: 60, fee: 0 })
    const after = await waitingCall({ ...market, url: other.url }, payer)
    expect((await report(market, secret, { invocationId: after.invocationId, usage })).status).toBe(200)
    expect(await feesOf(after.invocationId)).toEqual({ charged: 60, fee: 30 })
    await other.stop()
  })

  test('above the hold captures the hold, and the shortfall is recorded', async () => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer, { maxCostUsdc: '0.000300' })
    const usage = { inputTokens: 1_000, outputTokens: 1_000 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body).toMatchObject({
      chargedUsdc: '0.000300',
      gateway: { holdUsdc: '0.000300', releasedUsdc: '0.000000', capped: true },
    })
    const [row] = await market.sql<{ cost: string }>(
      'select cost from metered_calls where invocation_id = $1',
      [invocationId],
    )
    expect(row?.cost).toBe('7500')
  })

  test('of no usage charges nothing, and completes the call', async () => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
    const usage = { inputTokens: 0, outputTokens: 0 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.000000' })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })

  test("with another provider's secret is INVOCATION_NOT_FOUND; with no or an invalid secret it is 401", async () => {
    const stranger = await issueSecret(market, await arrive(market))
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    const usage = { inputTokens: 1, outputTokens: 1 }
    const refused = await report(market, stranger, { invocationId, usage })
    expect([refused.status, refused.body.code]).toEqual([404, 'INVOCATION_NOT_FOUND'])
    for (const key of ['', 'psk_nonsense', payer.token, market.provider.token])
      expect((await report(market, key, { invocationId, usage })).status).toBe(401)
    const unknown = await report(market, secret, { invocationId: 'inv_unknown', usage })
    expect(unknown.body.code).toBe('INVOCATION_NOT_FOUND')
    expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
  })

  test.each([
    {},
    { inputTokens: 1 },
    { inputTokens: -1, outputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
    { inputTokens: '1', outputTokens: 1 },
    { inputTokens: 1, outputTokens: 1, totalTokens: 3 },
    { inputTokens: 1, outputTokens: 1e15 },
    { inputTokens: 1, outputTokens: 1, prompt_tokens: 2, completion_tokens: 1 },
    { usage: { inputTokens: 1 } },
    { usage: 7 },
  ])('that is invalid changes nothing: %j', async usage => {
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    const refused = await report(market, secret, { invocationId, usage })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
  })

  test('is refused while the row of the open call is missing, and accepted once it is repaired', async () => {
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    const tokens = tokensOf(market.model.call())
    const usage = { inputTokens: tokens.input, outputTokens: tokens.output }
    const [row] = await market.sql<{ instance_id: string }>(
      'delete from open_calls where invocation_id = $1 returning instance_id',
      [invocationId],
    )
    const refused = await report(market, secret, { invocationId, usage })
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'INVALID_STATE', detail: { invocationId, status: 'PROCESSING' } },
    })
    expect(await balanceOf(market, payer.owner)).not.toMatchObject({ held: 0n })

    await market.sql('insert into open_calls values ($1, $2)', [invocationId, row?.instance_id])
    expect(await report(market, secret, { invocationId, usage })).toMatchObject({ status: 200 })
    expect(await balanceOf(market, payer.owner)).toMatchObject({
      available: FUNDS - costOf(tokens),
      held: 0n,
    })
  })

  test('during the call is too early', async () => {
    const payer = await newPayer(market)
    market.model.bend({ stallAfterEvents: 2 })
    const calls = market.model.calls.length
    const streaming = invokeStream(market, payer, {
      serviceId: market.chat,
      payload: { body: chatBody({ stream: true }) },
    })
    await until('the model has begun', () => market.model.calls[calls]?.eventsSent === 2)
    const invocationId = String(market.model.call().headers['farebox-invocation-id'])
    const early = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect([early.status, early.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(Number(early.headers['retry-after'])).toBeGreaterThan(0)
    market.model.release()
    expect((await streaming).events.at(-1)?.data).toBe('[DONE]')
    const late = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect(late.body.code).toBe('USAGE_ALREADY_FINAL')
    const { input, output } = tokensOf(market.model.call())
    const same = { inputTokens: input, outputTokens: output }
    expect((await report(market, secret, { invocationId, usage: same })).status).toBe(200)
    expect(await countCharges(market, payer.owner)).toBe(1)
  })

  test('is bounded by the credit limit of its own secret only', async () => {
    const small = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer(market)
    const first = await waitingCall(market, payer)
    const second = await waitingCall(market, payer)
    const usage = { inputTokens: 4, outputTokens: 9 } // 60 micro-USDC
    expect((await report(market, small, { invocationId: first.invocationId, usage })).status).toBe(200)
    for (let turn = 0; turn < 2; turn += 1) {
      const refused = await report(market, small, { invocationId: second.invocationId, usage })
      expect(refused).toMatchObject({
        status: 402,
        body: {
          code: 'BUDGET_EXHAUSTED',
          detail: { limit: 'provider_secret_credit', remainingUsdc: '0.000040' },
        },
      })
    }
    expect(await statusOf(market, payer, second.invocationId)).toMatchObject({ status: 'PROCESSING' })
    // The same report again costs no credit.
    expect((await report(market, small, { invocationId: first.invocationId, usage })).status).toBe(200)
    const rest = { inputTokens: 0, outputTokens: 6 } // 36 micro-USDC
    expect((await report(market, small, { invocationId: second.invocationId, usage: rest })).status).toBe(200)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 96n, held: 0n })
  })

  test('of a fixed-price call is not found: it is not metered', async () => {
    const serviceId = await register(market, market.provider, {
      targets: [`${market.model.url}/v1/chat/completions`],
      priceUsdc: '0.01',
    })
    const payer = await newPayer(market)
    const answer = await invoke(market, payer, { serviceId, costUsdc: '0.01', payload: { body: chatBody() } })
    expect(answer.status).toBe(200)
    const { invocationId } = answer.body
    const refused = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect(refused.body.code).toBe('INVOCATION_NOT_FOUND')
  })

  test('of a stream that was cut completes it, but its replay still looks incomplete', async () => {
    const payer = await newPayer(market)
    market.model.bend({ cutAfterEvents: 3 })
    const call = {
      serviceId: market.chat,
      idempotencyKey: 'cut',
      responseMode: 'stream',
      payload: { body: chatBody() },
    }
    const cut = await invokeStream(market, payer, call)
    const { detail } = JSON.parse(cut.events.at(-1)?.data ?? '') as { detail: { invocationId: string } }
    const usage = { inputTokens: 10, outputTokens: 5 }
    expect((await report(market, secret, { invocationId: detail.invocationId, usage })).status).toBe(200)
    const replay = await invokeStream(market, payer, call)
    expect(replay.events.slice(0, 3)).toEqual(cut.events.slice(0, 3))
    expect(replay.events.at(-2)?.name).toBe('gateway')
    expect(JSON.parse(replay.events.at(-2)?.data ?? '')).toMatchObject({
      status: 'SUCCEEDED',
      chargedUsdc: '0.000045',
      replayed: true,
    })
    expect(JSON.parse(replay.events.at(-1)?.data ?? '')).toMatchObject({ detail: { reason: 'stream_cut' } })
    expect(replay.text).not.toContain('[DONE]')
  })
})
