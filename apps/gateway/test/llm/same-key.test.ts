import { formatUsdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, costOf, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { SHAPES, tokensOf } from '../kit/llm/shapes.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { get, post, send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { countCharges, type Payer } from '../kit/world/payer.ts'
import { balanceOf, countStatuses, endNotices, invoke, mint, ownerWith } from '../kit/world/world.ts'

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

/** Returns how many calls reached the model since the count began. */
function countCalls(): () => number {
  const before = market.model.calls.length
  return () => market.model.calls.length - before
}

const expectPaidOnce = async (payer: Payer) => {
  const charge = costOf(tokensOf(market.model.call()))
  expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - charge, held: 0n })
  expect(await countCharges(market, payer.owner)).toBe(1)
}

describe.each(SHAPES)('the same key of a streamed call of $name', shape => {
  const callOf = (more: Record<string, unknown> = {}, body: Record<string, unknown> = {}) => ({
    serviceId: shape.service(market),
    idempotencyKey: 'k',
    responseMode: 'stream',
    payload: { body: shape.body(body) },
    ...more,
  })

  test('failure 4: in parallel is one call of the model; duplicates get IDEMPOTENCY_IN_PROGRESS, then the recording', async () => {
    const payer = await newPayer(market)
    const called = countCalls()
    market.model.bend({ stallAfterEvents: 2 })
    const first = listen(market, payer, callOf())
    await until('it streams', () => first.text().includes('data:'))
    const twins = await Promise.all(Array.from({ length: 8 }, () => invoke(market, payer, callOf())))
    expect(countStatuses(twins)).toEqual({ 409: 8 })
    for (const { body, headers } of twins) {
      expect(body.code).toBe('IDEMPOTENCY_IN_PROGRESS')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    market.model.release()
    await first.over
    expect(first.isWhole()).toBe(true)
    const replays = await Promise.all(Array.from({ length: 4 }, () => invokeStream(market, payer, callOf())))
    const replayed = first
      .text()
      .replace(/\}\n\ndata: \[DONE\]\n\n$/, ',"replayed":true}\n\ndata: [DONE]\n\n')
    for (const replay of replays) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(replay.text).toBe(replayed)
    }
    expect(called()).toBe(1)
    await expectPaidOnce(payer)
  })

  test('failure 4: in parallel from the start is one call of the model', async () => {
    const payer = await newPayer(market, { maxCalls: 1 })
    const called = countCalls()
    const twins = await Promise.all(Array.from({ length: 12 }, () => invokeStream(market, payer, callOf())))
    const statuses = twins.map(({ status }) => status)
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0)
    expect(statuses.every(status => status === 200 || status === 409)).toBe(true)
    for (const { status, text } of twins) if (status === 200) expect(text).toContain('[DONE]')
    expect(called()).toBe(1)
    await expectPaidOnce(payer)
  })

  test('without streaming is answered by the bill alone, as JSON', async () => {
    const payer = await newPayer(market)
    const called = countCalls()
    const streamed = await invokeStream(market, payer, callOf())
    const bill = JSON.parse(streamed.events.at(-2)?.data ?? '') as Record<string, unknown>
    const whole = await invoke(market, payer, callOf({ responseMode: 'sync' }))
    expect(whole).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
    expect(whole.headers['content-type']).toContain('application/json')
    expect(whole.body).toEqual(bill)
    expect(called()).toBe(1)
    await expectPaidOnce(payer)
  })

  test('of a complete answer, requested as a stream, is answered by the bill with its result, and the end', async () => {
    const payer = await newPayer(market)
    const called = countCalls()
    const whole = await invoke(market, payer, callOf({ responseMode: 'sync' }))
    const streamed = await invokeStream(market, payer, callOf())
    expect(streamed.events).toHaveLength(2)
    expect(JSON.parse(streamed.events[0]?.data ?? '')).toEqual({ ...whole.body, replayed: true })
    expect(streamed.events[1]?.data).toBe('[DONE]')
    expect(called()).toBe(1)
    await expectPaidOnce(payer)
  })

  test('failure 5: with reordered members is the same request; with another value it is a conflict', async () => {
    const payer = await newPayer(market)
    const called = countCalls()
    const call = callOf()
    const first = await invokeStream(market, payer, call)
    const { payload, ...rest } = call
    const reordered = {
      payload: { body: Object.fromEntries(Object.entries(payload.body).reverse()) },
      ...rest,
    }
    expect((await invokeStream(market, payer, reordered)).text).toContain('"replayed":true')
    for (const other of [
      callOf({}, { temperature: 1 }),
      callOf({ maxCostUsdc: '0.01' }),
      callOf({}, { stream: true }),
    ]) {
      const conflict = await invoke(market, payer, other)
      expect([conflict.status, conflict.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    }
    expect(first.text).toContain('[DONE]')
    expect(called()).toBe(1)
    await expectPaidOnce(payer)
  })

  test('failure 6: under another credential of the owner is a separate call', async () => {
    const payer = await newPayer(market)
    const other = await mint(market, payer.owner)
    const called = countCalls()
    await invokeStream(market, payer, callOf())
    const second = await invokeStream(market, other, callOf())
    expect(second.headers.get('idempotent-replayed')).toBeNull()
    expect(called()).toBe(2)
  })

  test('of a call that failed before its stream replays the failure without a call', async () => {
    const payer = await newPayer(market)
    market.model.bend({ status: 500 })
    const failed = await invoke(market, payer, callOf())
    market.model.bend({})
    const called = countCalls()
    const replay = await invoke(market, payer, callOf())
    expect(replay).toMatchObject({ status: 502, headers: { 'idempotent-replayed': 'true' } })
    expect(replay.body).toEqual(failed.body)
    expect(called()).toBe(0)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })
})

describe('a service that changes while its stream runs', () => {
  const price = async (output: string) => {
    const current = await get<Record<string, unknown>>(market, `/services/${market.chat}`, {
      token: market.provider.token,
    })
    expect(current.status).toBe(200)
    const changed = await send(market.url, `/api/v1/services/${market.chat}`, {
      method: 'PUT',
      token: market.provider.token,
      body: { outputPricePer1MTokensUsdc: output },
    })
    expect(changed.status).toBe(200)
    await endNotices(market)
  }
  const activate = (isActive: boolean) =>
    send(market.url, `/api/v1/services/${market.chat}`, {
      method: 'PUT',
      token: market.provider.token,
      body: { isActive },
    })

  /** Starts a stream that is held. */
  const startStream = async (payer: Payer) => {
    market.model.bend({ stallAfterEvents: 2 })
    const caller = listen(market, payer, {
      serviceId: market.chat,
      payload: { body: chatBody({ stream: true }) },
    })
    await until('it streams', () => caller.text().includes('data:'))
    return caller
  }

  test('failures 8, 9: settles at the price that it was admitted at, and the next call at the new one', async () => {
    const payer = await newPayer(market)
    const caller = await startStream(payer)
    await price('60')
    market.model.release()
    await caller.over
    const charge = costOf(tokensOf(market.model.call()))
    expect(caller.text()).toContain(`"chargedUsdc":"${formatUsdc(charge)}"`)
    await expectPaidOnce(payer)

    market.model.bend({})
    const next = await invoke(market, payer, { serviceId: market.chat, payload: { body: chatBody() } })
    const { input, output } = tokensOf(market.model.call())
    const micros = Math.ceil(input * 1.5 + output * 60)
    expect(next.body.chargedUsdc).toBe(formatUsdc(BigInt(micros) as typeof charge))
    await price('6')
  })

  test('failure 9: settles when it is deactivated, and admits no new call', async () => {
    const payer = await newPayer(market)
    const caller = await startStream(payer)
    expect((await activate(false)).status).toBe(200)
    const refused = await invoke(market, payer, { serviceId: market.chat, payload: { body: chatBody() } })
    expect(refused.body.code).toBe('SERVICE_NOT_FOUND')
    market.model.release()
    await caller.over
    expect(caller.isWhole()).toBe(true)
    await expectPaidOnce(payer)
    expect((await activate(true)).status).toBe(200)
  })

  test('failure 17: admits nothing more once a policy is lowered under the running hold', async () => {
    const payer = await newPayer(market)
    const caller = await startStream(payer)
    const lowered = await send(market.url, '/api/v1/balance/spending-limit', {
      method: 'PUT',
      token: payer.owner.token,
      body: { spendingLimitUsdc: '0.000001' },
    })
    expect(lowered.status).toBe(200)
    const refused = await post<{ code: string; detail: { limit: string } }>(market, '/agent/invoke', {
      headers: { 'x-credential': payer.token },
      body: { serviceId: market.chat, payload: { body: chatBody() } },
    })
    expect(refused.body).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { limit: 'policy_monthly' } })
    market.model.release()
    await caller.over
    await expectPaidOnce(payer)
  })
})

describe('holds of metered calls', () => {
  /** Holds of the calls below, in micro-USDC: their maximum cost. */
  const HOLD = 400n

  test('failures 1, 10: of many parallel calls only those are admitted whose holds are covered', async () => {
    const owner = await ownerWith(market, '0.0015')
    const agent = await mint(market, owner)
    market.model.bend({ stallBeforeHead: true })
    const called = countCalls()
    const call = { serviceId: market.chat, payload: { body: chatBody() }, maxCostUsdc: '0.0004' }
    const calls = Array.from({ length: 20 }, () => invoke(market, agent, call))
    let refused = 0
    for (const answer of calls) void answer.then(({ status }) => (refused += status === 402 ? 1 : 0))
    await until('the others are refused', () => refused === 17)
    await until('those that are admitted are at the model', () => called() === 3)
    expect(await balanceOf(market, owner)).toMatchObject({ available: 1_500n - 3n * HOLD, held: 3n * HOLD })
    market.model.release()
    const answers = await Promise.all(calls)
    expect(countStatuses(answers)).toEqual({ 200: 3, 402: 17 })
    for (const { status, body } of answers) {
      if (status === 402)
        expect(body).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { limit: 'owner_balance' } })
    }
    const charge = costOf(tokensOf(market.model.call()))
    expect(called()).toBe(3)
    expect(await balanceOf(market, owner)).toMatchObject({ available: 1_500n - 3n * charge, held: 0n })
  })

  test('failure 10: charges the hold for usage above it; the shortfall is recorded, and nobody else pays it', async () => {
    const payer = await newPayer(market)
    market.model.bend({ usage: { replaceBy: { prompt_tokens: 90_000, completion_tokens: 9_000_000 } } })
    const streamed = await invokeStream(market, payer, {
      serviceId: market.chat,
      payload: { body: chatBody({ stream: true }) },
    })
    const bill = JSON.parse(streamed.events.at(-2)?.data ?? '') as {
      invocationId: string
      gateway: Record<string, string>
    }
    expect(bill.gateway).toMatchObject({ capped: true, releasedUsdc: '0.000000' })
    expect(bill.gateway.chargedUsdc).toBe(bill.gateway.holdUsdc)
    const [row] = await market.sql<{ cost: string; charged: string }>(
      `select m.cost::text, i.charged::text from metered_calls m join invocations i on i.id = m.invocation_id
       where i.id = $1`,
      [bill.invocationId],
    )
    expect(row?.cost).toBe('54135000')
    expect(await balanceOf(market, payer.owner)).toMatchObject({
      available: FUNDS - BigInt(row?.charged ?? 0),
      held: 0n,
    })
  })

  test("failure 2, 3: count against the credential's caps while they run, and the charge afterwards", async () => {
    const payer = await newPayer(market, { creditLimit: '0.0008' })
    market.model.bend({ stallBeforeHead: true })
    const called = countCalls()
    const call = { serviceId: market.chat, payload: { body: chatBody() }, maxCostUsdc: '0.0005' }
    const first = invoke(market, payer, call)
    await until('it runs', () => called() === 1)
    expect((await invoke(market, payer, call)).body).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { limit: 'credential_credit', remainingUsdc: '0.000300' },
    })
    market.model.release()
    expect((await first).status).toBe(200)
    market.model.bend({})
    expect((await invoke(market, payer, call)).status).toBe(200)
  })
})
