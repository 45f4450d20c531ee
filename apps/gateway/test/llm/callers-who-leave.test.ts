import { usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chatBody, costOf, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { CHARGE, closed, EVENTS, type RawModel, startRawModel } from '../kit/llm/raw-model.ts'
import { SHAPES, tokensOf } from '../kit/llm/shapes.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { balanceOf } from '../kit/world/world.ts'

/** Streams of one owner that are read on without their callers, at most. */
const ABANDONED_MAX = 32
const TOO_MANY = 12
const CROWD = 30

let market: LlmMarket
let raw: RawModel
beforeAll(async () => {
  market = await openLlmMarket()
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

const statuses = async (payer: Payer) =>
  (
    await market.sql<{ status: string; charged: string }>(
      'select status, charged::text from invocations where credential_id = $1',
      [payer.id],
    )
  ).map(({ status, charged }) => `${status} ${charged}`)

const untilAll = (payer: Payer, count: number, status: string) =>
  until(`${count} calls are ${status}`, async () => {
    const ended = (await statuses(payer)).filter(end => end.startsWith(status))
    return ended.length === count
  })

describe.each(SHAPES)('failure 48: a caller of $name who leaves', shape => {
  const callOf = (stream: boolean) => ({
    serviceId: shape.service(market),
    payload: { body: shape.body(stream ? { stream } : {}) },
  })

  /** The caller has gone at a place; the model ends; what is charged is the final usage. */
  const expectCharged = async (payer: Payer) => {
    market.model.release()
    await untilAll(payer, 1, 'SUCCEEDED')
    const charge = costOf(tokensOf(market.model.call()))
    expect(await statuses(payer)).toEqual([`SUCCEEDED ${charge}`])
    expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - charge, held: 0n })
    await market.model.call().closed
    expect(market.model.call().hungUp).toBe(false)
  }

  test.each([true, false])('before the head is charged (streamed: %s)', async stream => {
    const payer = await newPayer(market)
    const before = market.model.calls.length
    market.model.bend({ stallBeforeHead: true })
    const caller = listen(market, payer, callOf(stream))
    await until('the model has the call', () => market.model.calls.length > before)
    caller.leave()
    await caller.over
    await expectCharged(payer)
  })

  test.each([1, 2, 6])('after %s events is charged: the stream is read to its end', async events => {
    const payer = await newPayer(market)
    market.model.bend({ stallAfterEvents: events })
    const caller = listen(market, payer, callOf(true))
    await until('so much has come', () => caller.text().split('data:').length > events)
    caller.leave()
    await caller.over
    expect(caller.isWhole()).toBe(false)
    await expectCharged(payer)
  })
})

test('many callers that leave at any point are charged exactly', async () => {
  const payer = await newPayer(market)
  const from = market.model.calls.length
  market.model.bend(call => ({ stallAfterEvents: 1 + (market.model.calls.indexOf(call) % 7) }))
  const callers = Array.from({ length: CROWD }, () =>
    listen(market, payer, { serviceId: market.chat, payload: { body: chatBody({ stream: true }) } }),
  )
  await until('every model has begun', () => {
    const calls = market.model.calls.slice(from)
    return calls.length === CROWD && calls.every(({ eventsSent }) => eventsSent > 0)
  })
  for (const caller of callers) caller.leave()
  await Promise.all(callers.map(({ over }) => over))
  market.model.release()
  await untilAll(payer, CROWD, 'SUCCEEDED')
  const charges = market.model.calls.slice(from).map(call => costOf(tokensOf(call)))
  const sum = charges.reduce((total, charge) => usdc(total + charge), usdc(0n))
  expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - sum, held: 0n })
})

test('beyond the limit of abandoned streams the others are cut, and charged for the prompt and the output so far', async () => {
  const payer = await newPayer(market)
  const count = ABANDONED_MAX + TOO_MANY
  const call = { serviceId: raw.service, payload: { body: chatBody({ stream: true }) } }
  raw.begin()
  const callers = Array.from({ length: count }, () => listen(market, payer, call))
  await raw.untilOpen(count)
  await until('every caller has heard something', () => callers.every(caller => caller.text() !== ''))
  for (const caller of callers) caller.leave()
  await Promise.all(callers.map(({ over }) => over))
  // Each is missed at the next event.
  await until('the gateway has let the rest go', async () => {
    for (const { response } of raw.open) if (!response.destroyed) response.write(EVENTS.chunk)
    return raw.open.filter(({ response }) => response.destroyed).length === TOO_MANY
  })
  await untilAll(payer, TOO_MANY, 'SUCCEEDED')
  const tokens = await market.sql<{ input: string; output: string; charged: string; hold: string }>(
    `select m.input_tokens as input, m.output_tokens as output, i.charged, i.hold
     from metered_calls m join invocations i on i.id = m.invocation_id
     where i.credential_id = $1 and i.status = 'SUCCEEDED'`,
    [payer.id],
  )
  for (const { input, output, charged, hold } of tokens) {
    const promptBytes = Buffer.byteLength(String(raw.open[0]?.call.body))
    expect(Number(input)).toBe(Math.ceil(promptBytes / 3) + 16)
    expect(Number(output)).toBeGreaterThanOrEqual(1)
    expect(BigInt(charged)).toBe(costOf({ input: Number(input), output: Number(output) }))
    expect(BigInt(charged)).toBeLessThanOrEqual(BigInt(hold))
  }

  // Later callers still find room.
  const other = await newPayer(market)
  const opened = raw.open.length
  const caller = listen(market, other, call)
  await raw.untilOpen(opened + 1)
  await until('the caller has heard something', () => caller.text() !== '')
  caller.leave()
  await caller.over
  for (const { response } of raw.open)
    if (!response.destroyed) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  await untilAll(payer, count, 'SUCCEEDED')
  await untilAll(other, 1, 'SUCCEEDED')
  expect(await statuses(other)).toEqual([`SUCCEEDED ${CHARGE}`])
  const letGo = tokens.reduce((sum, { charged }) => sum + BigInt(charged), 0n)
  const all = BigInt(ABANDONED_MAX) * CHARGE + letGo
  expect(await balanceOf(market, payer.owner)).toMatchObject({ available: FUNDS - all, held: 0n })
})

test('frees the limit of abandoned streams: a later one is read to its end', async () => {
  const payer = await newPayer(market)
  raw.begin()
  const caller = listen(market, payer, {
    serviceId: raw.service,
    payload: { body: chatBody({ stream: true }) },
  })
  await raw.untilOpen(1)
  await until('the caller has heard something', () => caller.text() !== '')
  caller.leave()
  await caller.over
  const [answer] = raw.open
  answer?.response.write(EVENTS.chunk)
  answer?.response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  if (answer !== undefined) await closed(answer)
  await untilAll(payer, 1, 'SUCCEEDED')
  expect(await statuses(payer)).toEqual([`SUCCEEDED ${CHARGE}`])
})
