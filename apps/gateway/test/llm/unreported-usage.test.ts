import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lockLedger } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { chatBody, type LlmMarket, openLlmMarket, registerModel } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { report } from '../kit/llm/shapes.ts'
import { letWait, release, statusOf, waitingCall } from '../kit/llm/waiting-calls.ts'
import { until } from '../kit/until.ts'
import { countCharges, type Payer } from '../kit/world/payer.ts'
import { balanceOf, invoke, issueSecret, mint } from '../kit/world/world.ts'

const WINDOW_SECONDS = 15 * 60

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

describe('a call whose usage is never reported', () => {
  test('is held for 15 minutes, then released: nothing is charged, and its key replays the failure', async () => {
    const payer = await newPayer(market)
    const { invocationId, answer, replay } = await waitingCall(market, payer)
    await letWait(market, WINDOW_SECONDS - 30)
    await release(market)
    expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
    expect((await replay()).status).toBe(409)
    await letWait(market, WINDOW_SECONDS + 30)
    await release(market)
    const reported = await replay()
    expect(reported).toMatchObject({ status: 502, headers: { 'idempotent-replayed': 'true' } })
    const { requestId: _, ...body } = answer.body as unknown as Record<string, unknown>
    expect(reported.body).toMatchObject({
      ...body,
      detail: { ...answer.body.detail, status: 'FAILED_FINAL' },
    })
    expect(await statusOf(market, payer, invocationId)).toMatchObject({
      status: 'FAILED_FINAL',
      chargedUsdc: '0.000000',
      error: { reason: 'usage_missing' },
    })
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
    const late = await report(market, secret, { invocationId, usage: { inputTokens: 1, outputTokens: 1 } })
    expect([late.status, late.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect(await countCharges(market, payer.owner)).toBe(0)
  })

  test('is released by the gateway automatically', async () => {
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    await letWait(market, WINDOW_SECONDS + 30)
    await until(
      'it is released',
      async () => (await statusOf(market, payer, invocationId)).status === 'FAILED_FINAL',
    )
  })

  test('does not block the release of others when its own rows are inconsistent', async () => {
    const [payer, other] = [await newPayer(market), await newPayer(market)]
    const bad = await waitingCall(market, other)
    const good = await waitingCall(market, payer)
    const account = `consumer:${other.owner.account.address.toLowerCase()}`
    const [row] = await market.sql<{ held: string }>(
      `update accounts a set reserved = 0 from (select id, reserved from accounts where id = $1) before
       where a.id = before.id returning before.reserved::text as held`,
      [account],
    )
    await letWait(market, WINDOW_SECONDS + 30)
    await expect(release(market)).rejects.toThrow('1 calls could not be released')
    expect(await statusOf(market, payer, good.invocationId)).toMatchObject({ status: 'FAILED_FINAL' })
    expect(await statusOf(market, other, bad.invocationId)).toMatchObject({ status: 'PROCESSING' })
    await market.sql('update accounts set reserved = $2 where id = $1', [account, row?.held])
    await release(market)
    expect(await statusOf(market, other, bad.invocationId)).toMatchObject({ status: 'FAILED_FINAL' })
  })

  test('is released beside others although its prompt counts billions of tokens', async () => {
    const payer = await newPayer(market)
    const { url } = market.model
    const manifest = { inputPricePer1MTokensUsdc: '0', mediaTokens: 10_000_000 }
    const huge = { url: `${url}/v1/chat/completions`, manifest }
    const serviceId = await registerModel(market, market.provider, huge)
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    const content = Array.from({ length: 300 }, () => sound)
    const body = chatBody({ messages: [{ role: 'user', content }] })
    const [unreported, reported] = [
      await waitingCall(market, payer, { serviceId, payload: { body } }),
      await waitingCall(market, payer, { serviceId, payload: { body } }),
    ]
    const other = await waitingCall(market, payer)
    const usage = { inputTokens: 90_000_000, outputTokens: 1 }
    expect((await report(market, secret, { invocationId: reported.invocationId, usage })).status).toBe(200)
    await letWait(market, WINDOW_SECONDS + 30)
    await release(market)
    for (const { invocationId } of [unreported, other])
      expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'FAILED_FINAL' })
  })

  test('releases its call and its credit', async () => {
    const { owner } = await newPayer(market)
    const once = { owner, ...(await mint(market, owner, { maxCalls: 1, creditLimit: '0.01' })) }
    await waitingCall(market, once)
    market.model.bend({})
    const call = { serviceId: market.chat, payload: { body: chatBody() } }
    expect((await invoke(market, once, call)).body.code).toBe('BUDGET_EXHAUSTED')
    await letWait(market, WINDOW_SECONDS + 30)
    await release(market)
    expect((await invoke(market, once, call)).status).toBe(200)
  })
})

describe('a report and the release in parallel', () => {
  const usage = { inputTokens: 4, outputTokens: 9 }
  const lockOf = (payer: Payer) => lockLedger(market.database.url, payer.owner)

  test('the report wins if it is first', async () => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
    const lock = await lockOf(payer)
    const reporting = report(market, secret, { invocationId, usage })
    await untilBlocked(market, 1)
    await letWait(market, WINDOW_SECONDS + 30)
    const releasing = release(market)
    await untilBlocked(market, 2)
    await lock.release()
    expect((await reporting).status).toBe(200)
    await releasing
    expect((await replay()).body).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.000060' })
    expect(await countCharges(market, payer.owner)).toBe(1)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - 60n, held: 0n })
  })

  test('the release wins if it is first', async () => {
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
    const lock = await lockOf(payer)
    await letWait(market, WINDOW_SECONDS + 30)
    const releasing = release(market)
    await untilBlocked(market, 1)
    const reporting = report(market, secret, { invocationId, usage })
    await untilBlocked(market, 2)
    await lock.release()
    await releasing
    const refused = await reporting
    expect([refused.status, refused.body.code]).toEqual([409, 'USAGE_ALREADY_FINAL'])
    expect((await replay()).body.detail).toMatchObject({ status: 'FAILED_FINAL' })
    expect(await countCharges(market, payer.owner)).toBe(0)
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS, held: 0n })
  })

  test('one of two different reports wins, and the other is refused', async () => {
    const other = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer(market)
    const { invocationId, replay } = await waitingCall(market, payer)
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
    expect(await countCharges(market, payer.owner)).toBe(1)
    // The loser has drawn nothing: all of the secret's credit is left.
    const next = await waitingCall(market, payer)
    const whole = { inputTokens: 0, outputTokens: 16 } // 96 micro-USDC
    expect((await report(market, other, { invocationId: next.invocationId, usage: whole })).status).toBe(200)
  })

  test('many equal reports are accepted, and one is counted', async () => {
    const small = await issueSecret(market, market.provider, { creditLimit: '0.000100' })
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    const reports = await Promise.all(
      Array.from({ length: 10 }, () => report(market, small, { invocationId, usage })),
    )
    expect(reports.map(({ status }) => status)).toEqual(reports.map(() => 200))
    expect(await countCharges(market, payer.owner)).toBe(1)
    const next = await waitingCall(market, payer)
    const rest = { inputTokens: 0, outputTokens: 6 } // 36 of the 40 micro-USDC that are left
    expect((await report(market, small, { invocationId: next.invocationId, usage: rest })).status).toBe(200)
  })
})
