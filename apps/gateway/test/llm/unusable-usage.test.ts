import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { SHAPES, type Shape } from '../kit/llm/shapes.ts'
import { statusOf } from '../kit/llm/waiting-calls.ts'
import { countCharges, type Payer } from '../kit/world/payer.ts'
import { balanceOf, invoke } from '../kit/world/world.ts'

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
})
afterEach(async () => {
  market.model.bend({})
  await market.assertBooks()
})
afterAll(() => market.stop())

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
    'beyond every integer',
    ({ usage }) =>
      block => ({ ...block, [usage.output]: 1e300 }),
  ],
  [
    'null counts',
    ({ usage }) =>
      block => ({ ...block, [usage.input]: null, [usage.output]: null }),
  ],
  ['with a total that is no count', () => block => ({ ...block, total_tokens: -1 })],
]

describe.each(SHAPES)('failures 46, 47: invalid usage of $name', shape => {
  const heldBy = async (payer: Payer) => (await balanceOf(market, payer.owner)).held

  test("fails a complete answer, which keeps its hold and waits for its provider's report", async () => {
    const payer = await newPayer(market)
    for (const [kind, bend] of KINDS) {
      market.model.bend({ usage: bend(shape) })
      const before = await heldBy(payer)
      const call = { serviceId: shape.service(market), idempotencyKey: kind, payload: { body: shape.body() } }
      const answer = await invoke(market, payer, call)
      const { invocationId } = answer.body.detail
      expect([kind, answer.status, answer.body.code]).toEqual([kind, 502, 'UPSTREAM_ERROR'])
      expect(answer.body.detail).toMatchObject({ reason: 'usage_missing', status: 'PROCESSING' })
      const reported = await statusOf(market, payer, String(invocationId))
      expect(reported).toMatchObject({ status: 'PROCESSING', chargedUsdc: '0.000000' })
      expect(formatUsdc(usdc((await heldBy(payer)) - before))).toBe(reported.holdUsdc)
      const again = await invoke(market, payer, call)
      expect([again.status, again.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    }
    expect(await countCharges(market, payer.owner)).toBe(0)
  })

  test('ends a stream with an error, and no end mark; its hold stays', async () => {
    const payer = await newPayer(market)
    for (const [kind, bend] of KINDS) {
      market.model.bend({ usage: bend(shape) })
      const before = await heldBy(payer)
      const answer = await invokeStream(market, payer, {
        serviceId: shape.service(market),
        idempotencyKey: kind,
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
    expect(await countCharges(market, payer.owner)).toBe(0)
  })
})
