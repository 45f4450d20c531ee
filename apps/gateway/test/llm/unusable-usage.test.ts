import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createInvocations } from '../../src/domains/invocation/create-invocations.ts'
import { releaseUnreported } from '../../src/domains/invocation/release-unreported.ts'
import { createServiceDirectory } from '../../src/domains/services/find-callable.ts'
import type { Clock } from '../../src/ports.ts'
import { lockRows } from '../faults/row-locks.ts'
import { untilBlocked } from '../faults/scene.ts'
import { send } from '../wallets.ts'
import { arrive, balanceOf, get, invoke, mint, ownerWith, type Person, register, until } from '../world.ts'
import { chatBody, costOf, invokeStream, type LlmMarket, openLlmMarket } from './market.ts'
import { issueSecret, report, SHAPES, type Shape, tokensOf } from './shapes.ts'

const WINDOW_MS = 15 * 60_000
const FUNDS = 10_000_000n
const FUNDS_USDC = '10'

/** How far the gateway's clock is ahead, in ms. */
let ahead = 0
const clock: Clock = {
  now: () => Date.now() + ahead,
  pause: ms => new Promise(done => setTimeout(done, ms)),
}

let market: LlmMarket
let secret: string
beforeAll(async () => {
  market = await openLlmMarket({ clock })
  secret = await issueSecret(market, market.provider)
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

/** A new owner with money and a credential. */
async function newPayer() {
  const owner = await ownerWith(market, FUNDS_USDC)
  return { owner, ...(await mint(market, owner)) }
}
type Payer = Awaited<ReturnType<typeof newPayer>>

/** Looks once for calls whose usage was not reported in time. */
const release = () => {
  const { deps } = market.gateway
  return releaseUnreported(createInvocations({ ...deps, directory: createServiceDirectory(deps) }))
}

const statusOf = async (payer: Payer, invocationId: string) =>
  (await get(market, `/agent/invocations/${invocationId}`, { headers: { 'x-credential': payer.token } })).body

/** How often the books have charged an owner. */
const charges = async (owner: Person) =>
  (
    await market.sql("select 1 from entries where kind = 'capture' and account = $1", [
      `consumer:${owner.account.address.toLowerCase()}`,
    ])
  ).length

/** A call that waits for its usage. */
async function waitingCall(payer: Payer, more: Record<string, unknown> = {}) {
  market.model.bend({ usage: { replaceBy: undefined } })
  const call = {
    ...{ serviceId: market.chat, idempotencyKey: crypto.randomUUID(), payload: { body: chatBody() } },
    ...more,
  }
  const answer = await invoke(market, payer, call)
  expect(answer).toMatchObject({ status: 502, body: { detail: { status: 'PROCESSING' } } })
  const replay = () => invoke(market, payer, call)
  return { invocationId: String(answer.body.detail.invocationId), answer, replay, call }
}

type Block = Record<string, unknown>
const KINDS: readonly [kind: string, bend: (shape: Shape) => (block: Block) => unknown][] = [
  ['missing', () => () => undefined],
  ['null', () => () => null],
  ['empty', () => () => ({})],
  ['a text', () => () => 'many'],
  ['a list', () => block => [block]],
  [
    'negative',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: -1 }),
  ],
  [
    'fractional',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: 1.5 }),
  ],
  [
    'NaN',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: 'NaN' }),
  ],
  [
    'a count as text',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: '7' }),
  ],
  [
    'true',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: true }),
  ],
  [
    'absurd',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: 1e12 }),
  ],
  [
    'past every integer',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: 1e300 }),
  ],
  [
    'null counts',
    ({ usage }) =>
      block => ({ ...block, [usage.input]: null, [usage.output]: null }),
  ],
  ['not adding up', () => block => ({ ...block, total_tokens: 1 })],
]

describe.each(SHAPES)('failures 46, 47: usage of $name that is not plainly right', shape => {
  const heldBy = async (payer: Payer) => (await balanceOf(market, payer.owner)).held

  test("fails a whole answer, which keeps its hold and waits for its provider's word", async () => {
    const payer = await newPayer()
    for (const [kind, bend] of KINDS) {
      market.model.bend({ usage: bend(shape) })
      const before = await heldBy(payer)
      const call = { serviceId: shape.service(market), idempotencyKey: kind, payload: { body: shape.body() } }
      const answer = await invoke(market, payer, call)
      const { invocationId } = answer.body.detail
      expect([kind, answer.status, answer.body.code]).toEqual([kind, 502, 'UPSTREAM_ERROR'])
      expect(answer.body.detail).toMatchObject({ reason: 'usage_missing', status: 'PROCESSING' })
      const told = await statusOf(payer, String(invocationId))
      expect(told).toMatchObject({ status: 'PROCESSING', chargedUsdc: '0.000000' })
      expect(formatUsdc(usdc((await heldBy(payer)) - before))).toBe(told.holdUsdc)
      const again = await invoke(market, payer, call)
      expect([again.status, again.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    }
    expect(await charges(payer.owner)).toBe(0)
  })

  test('ends a stream with an error, and no end mark; its hold stays', async () => {
    const payer = await newPayer()
    for (const [kind, bend] of KINDS) {
      market.model.bend({ usage: bend(shape) })
      const before = await heldBy(payer)
      const answer = await invokeStream(market, payer, {
        ...{ serviceId: shape.service(market), idempotencyKey: kind },
        payload: { body: shape.body({ stream: true }) },
      })
      expect([kind, answer.status, answer.events.at(-1)?.name]).toEqual([kind, 200, 'error'])
      const error = JSON.parse(answer.events.at(-1)?.data ?? '') as Record<string, unknown>
      expect(error).toMatchObject({
        code: 'UPSTREAM_ERROR',
        detail: { reason: 'usage_missing', status: 'PROCESSING' },
      })
      expect(answer.text).not.toContain('[DONE]')
      expect(answer.events.some(({ name }) => name === 'gateway')).toBe(false)
      expect(answer.events.length).toBeGreaterThan(3)
      expect(await heldBy(payer)).toBeGreaterThan(before)
    }
    expect(await charges(payer.owner)).toBe(0)
  })
})

describe('a late report', () => {
  const names: readonly [string, (tokens: { input: number; output: number }) => Record<string, unknown>][] = [
    ['our own names', ({ input, output }) => ({ inputTokens: input, outputTokens: output })],
    [
      "the names of OpenAI's chat completions",
      ({ input, output }) => ({
        ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }),
    ],
    [
      "the names of OpenAI's responses",
      ({ input, output }) => ({ input_tokens: input, output_tokens: output }),
    ],
    [
      'the names of Anthropic, with a cache',
      ({ input, output }) => ({
        ...{ input_tokens: input - 2, cache_read_input_tokens: 2, output_tokens: output },
      }),
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
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
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
    expect(await charges(payer.owner)).toBe(1)
    expect(market.model.calls.length).toBe(calls)
  })

  test('failure 8: comes too late for another price: the call is charged at the one it was admitted at', async () => {
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
    const price = (output: string) =>
      send(market.url, `/api/v1/services/${market.chat}`, {
        method: 'PUT',
        token: market.provider.token,
        body: { outputPricePer1MTokensUsdc: output },
      })
    expect((await price('600')).status).toBe(200)
    const usage = { inputTokens: 4, outputTokens: 9 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body.chargedUsdc).toBe('0.000060')
    expect((await price('6')).status).toBe(200)
  })

  test('of more than the hold captures the hold, and the shortfall is on record', async () => {
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer, { maxCostUsdc: '0.000030' })
    const usage = { inputTokens: 1_000, outputTokens: 1_000 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body).toMatchObject({
      chargedUsdc: '0.000030',
      gateway: { holdUsdc: '0.000030', releasedUsdc: '0.000000', capped: true },
    })
    const [row] = await market.sql<{ cost: string }>(
      'select cost from metered_calls where invocation_id = $1',
      [invocationId],
    )
    expect(row?.cost).toBe('7500')
  })

  test('of nothing used charges nothing, and ends the call well', async () => {
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
    const usage = { inputTokens: 0, outputTokens: 0 }
    expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
    expect((await replay()).body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.000000' })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })

  test("with another provider's secret knows no such call; with none, or a bad one, nobody is let in", async () => {
    const stranger = await issueSecret(market, await arrive(market))
    const payer = await newPayer()
    const { invocationId } = await waitingCall(payer)
    const usage = { inputTokens: 1, outputTokens: 1 }
    const refused = await report(market, stranger, { invocationId, usage })
    expect([refused.status, refused.body.code]).toEqual([404, 'INVOCATION_NOT_FOUND'])
    for (const key of ['', 'psk_nonsense', payer.token, market.provider.token])
      expect((await report(market, key, { invocationId, usage })).status).toBe(401)
    const unknown = await report(market, secret, { invocationId: 'inv_unknown', usage })
    expect(unknown.body.code).toBe('INVOCATION_NOT_FOUND')
    expect(await statusOf(payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
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
  ])('that is not plainly right changes nothing: %j', async usage => {
    const payer = await newPayer()
    const { invocationId } = await waitingCall(payer)
    const refused = await report(market, secret, { invocationId, usage })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(await statusOf(payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
  })

  test('while the call runs is too early', async () => {
    const payer = await newPayer()
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
    expect(await charges(payer.owner)).toBe(1)
  })

  test('is bounded by the credit limit of its secret, and by that of no other', async () => {
    const small = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer()
    const first = await waitingCall(payer)
    const second = await waitingCall(payer)
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
    expect(await statusOf(payer, second.invocationId)).toMatchObject({ status: 'PROCESSING' })
    // The same report again costs no credit.
    expect((await report(market, small, { invocationId: first.invocationId, usage })).status).toBe(200)
    const rest = { inputTokens: 0, outputTokens: 6 } // 36 micro-USDC
    expect((await report(market, small, { invocationId: second.invocationId, usage: rest })).status).toBe(200)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 96n, held: 0n })
  })

  test('of a call at a fixed price is of no call: nothing of it is metered', async () => {
    const serviceId = await register(market, market.provider, {
      targets: [`${market.model.url}/v1/chat/completions`],
      priceUsdc: '0.01',
    })
    const payer = await newPayer()
    const answer = await invoke(market, payer, { serviceId, costUsdc: '0.01', payload: { body: chatBody() } })
    expect(answer.status).toBe(200)
    const { invocationId } = answer.body
    const refused = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect(refused.body.code).toBe('INVOCATION_NOT_FOUND')
  })

  test('of a stream that was cut ends it well, and its replay still does not look whole', async () => {
    const payer = await newPayer()
    market.model.bend({ cutAfterEvents: 3 })
    const call = {
      ...{ serviceId: market.chat, idempotencyKey: 'cut', responseMode: 'stream' },
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

describe('a call whose usage nobody reports', () => {
  afterEach(() => {
    ahead = 0
  })

  test('is kept for 15 minutes, then released: nothing is charged, and its key tells the same failure', async () => {
    const payer = await newPayer()
    const { invocationId, answer, replay } = await waitingCall(payer)
    ahead = WINDOW_MS - 30_000
    await release()
    expect(await statusOf(payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
    expect((await replay()).status).toBe(409)
    ahead = WINDOW_MS + 30_000
    await release()
    const told = await replay()
    expect(told).toMatchObject({ status: 502, headers: { 'idempotent-replayed': 'true' } })
    const { requestId: _, ...body } = answer.body as unknown as Record<string, unknown>
    expect(told.body).toMatchObject({ ...body, detail: { ...answer.body.detail, status: 'FAILED_FINAL' } })
    expect(await statusOf(payer, invocationId)).toMatchObject({
      status: 'FAILED_FINAL',
      chargedUsdc: '0.000000',
      error: { reason: 'usage_missing' },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
    const late = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect([late.status, late.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect(await charges(payer.owner)).toBe(0)
  })

  test('is released by the gateway on its own', async () => {
    const payer = await newPayer()
    const { invocationId } = await waitingCall(payer)
    ahead = WINDOW_MS + 30_000
    await until('it is released', async () => (await statusOf(payer, invocationId)).status === 'FAILED_FINAL')
  })

  test('gives its call and its credit back', async () => {
    const { owner } = await newPayer()
    const once = { owner, ...(await mint(market, owner, { maxCalls: 1, creditLimit: '0.01' })) }
    await waitingCall(once)
    market.model.bend({})
    const call = { serviceId: market.chat, payload: { body: chatBody() } }
    expect((await invoke(market, once, call)).body.code).toBe('BUDGET_EXHAUSTED')
    ahead = WINDOW_MS + 30_000
    await release()
    expect((await invoke(market, once, call)).status).toBe(200)
  })
})

describe('a report and the release at once', () => {
  afterEach(() => {
    ahead = 0
  })
  const usage = { inputTokens: 4, outputTokens: 9 }
  const lockOf = (payer: Payer) =>
    lockRows(market.database.url, 'select 1 from credentials where id = $1 for update', [payer.id])

  test('the report that is first wins', async () => {
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
    const lock = await lockOf(payer)
    const reporting = report(market, secret, { invocationId, usage })
    await untilBlocked(market, 1)
    ahead = WINDOW_MS + 30_000
    const releasing = release()
    await untilBlocked(market, 2)
    await lock.release()
    expect((await reporting).status).toBe(200)
    await releasing
    expect((await replay()).body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.000060' })
    expect(await charges(payer.owner)).toBe(1)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 60n, held: 0n })
  })

  test('the release that is first wins', async () => {
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
    const lock = await lockOf(payer)
    ahead = WINDOW_MS + 30_000
    const releasing = release()
    await untilBlocked(market, 1)
    const reporting = report(market, secret, { invocationId, usage })
    await untilBlocked(market, 2)
    await lock.release()
    await releasing
    const refused = await reporting
    expect([refused.status, refused.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect((await replay()).body.detail).toMatchObject({ status: 'FAILED_FINAL' })
    expect(await charges(payer.owner)).toBe(0)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })

  test('of two different reports one wins, and the other is told so', async () => {
    const other = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer()
    const { invocationId, replay } = await waitingCall(payer)
    const lock = await lockOf(payer)
    const first = report(market, secret, { invocationId, usage })
    await untilBlocked(market, 1)
    const second = report(market, other, { invocationId, usage: { inputTokens: 0, outputTokens: 10 } })
    await untilBlocked(market, 2)
    await lock.release()
    expect((await first).status).toBe(200)
    const late = await second
    expect([late.status, late.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect((await replay()).body.chargedUsdc).toBe('0.000060')
    expect(await charges(payer.owner)).toBe(1)
    // What lost has drawn nothing: all of the secret's credit is left.
    const next = await waitingCall(payer)
    const whole = { inputTokens: 0, outputTokens: 16 } // 96 micro-USDC
    expect((await report(market, other, { invocationId: next.invocationId, usage: whole })).status).toBe(200)
  })

  test('of a crowd of equal reports each is welcome, and one is counted', async () => {
    const small = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer()
    const { invocationId } = await waitingCall(payer)
    const reports = await Promise.all(
      Array.from({ length: 10 }, () => report(market, small, { invocationId, usage })),
    )
    expect(reports.map(({ status }) => status)).toEqual(reports.map(() => 200))
    expect(await charges(payer.owner)).toBe(1)
    const next = await waitingCall(payer)
    const rest = { inputTokens: 0, outputTokens: 6 } // 36 of the 40 micro-USDC that are left
    expect((await report(market, small, { invocationId: next.invocationId, usage: rest })).status).toBe(200)
  })
})
