import { minUsdc, usdc } from '@farebox/money'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costOf, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { report, SHAPES, tokensOf } from '../kit/llm/shapes.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { letWait, release } from '../kit/llm/waiting-calls.ts'
import type { LlmBend } from '../kit/provider/llm-provider.ts'
import { until } from '../kit/until.ts'
import { balanceOf, issueSecret, mint, ownerWith } from '../kit/world/world.ts'

const CALLS = 300
const AT_ONCE = 50
const FUNDS = 100_000_000n
const PAST_WINDOW_SECONDS = 16 * 60
const SEED = 20_261_121

let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket()
})
afterAll(() => market.stop())

/** One call of the storm. */
type Gust = {
  readonly shape: (typeof SHAPES)[number]
  readonly stream: boolean
  readonly bend: LlmBend
  /** Text after which the caller hangs up, in characters; null: it stays. */
  readonly leavesAfter: number | null
  readonly maxCostUsdc: string | undefined
  /** True if the provider reports usage that was not read. */
  readonly isReported: boolean
}

const bends = fc.oneof(
  { arbitrary: fc.constant<LlmBend>({}), weight: 4 },
  fc.nat(8).map((cutAfterEvents): LlmBend => ({ cutAfterEvents })),
  fc.constant<LlmBend>({ cutAfterUsage: true }),
  fc.constant<LlmBend>({ skipDone: true }),
  fc.nat(8).map((endAfterEvents): LlmBend => ({ endAfterEvents })),
  fc
    .constantFrom(undefined, null, {}, { prompt_tokens: -1 })
    .map((value): LlmBend => ({ usage: { replaceBy: value } })),
  fc.integer({ min: 1, max: 9 }).map((bytesPerWrite): LlmBend => ({ bytesPerWrite })),
  fc.constantFrom(400, 429, 500, 503).map((status): LlmBend => ({ status })),
  fc.constant<LlmBend>({ body: 'not json', contentType: 'application/json' }),
)
const gusts = fc.record<Gust>({
  shape: fc.constantFrom(...SHAPES),
  stream: fc.boolean(),
  bend: bends,
  leavesAfter: fc.option(fc.nat(600), { freq: 3 }),
  maxCostUsdc: fc.constantFrom(undefined, undefined, '0.01', '0.000150'),
  isReported: fc.boolean(),
})

/** Makes one call; returns when nothing more comes of it. */
async function blow(token: string, gust: Gust, index: number): Promise<void> {
  const { shape, stream, leavesAfter, maxCostUsdc } = gust
  const caller = listen(
    market,
    { token },
    {
      serviceId: shape.service(market),
      idempotencyKey: `gust ${index}`,
      ...(maxCostUsdc !== undefined && { maxCostUsdc }),
      payload: { body: shape.body({ stream, user: `gust ${index}` }) },
    },
  )
  let isOver = false
  const over = caller.over.then(() => {
    isOver = true
  })
  if (leavesAfter !== null) {
    await until('it has heard enough', () => isOver || caller.text().length >= leavesAfter)
    caller.leave()
  }
  await over
}

test('gives each call one end and keeps exact books after many faults', async () => {
  const owner = await ownerWith(market, '100')
  const agent = await mint(market, owner)
  const all = fc.sample(gusts, { seed: SEED, numRuns: CALLS })
  const gustOf = (user: unknown) => all[Number(String(user).replace('gust ', ''))]
  market.model.bend(call => gustOf(call.body?.user)?.bend ?? {})
  for (let from = 0; from < CALLS; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE)
    await Promise.all(some.map((gust, turn) => blow(agent.token, gust, from + turn)))
  }

  type Row = { id: string; status: string; hold: string; charged: string }
  const rows = () =>
    market.sql<Row>('select id, status, hold::text, charged::text from invocations where owner = $1', [
      owner.account.address.toLowerCase(),
    ])
  await until('no call runs any more', async () => (await rows()).every(({ status }) => status !== 'PENDING'))
  const seen = new Map(
    market.model.calls.map(call => [String(call.headers['farebox-invocation-id']), call] as const),
  )
  const secret = await issueSecret(market, market.provider)
  for (const { id, status } of await rows()) {
    const call = seen.get(id)
    if (status !== 'PROCESSING' || call === undefined || call.tokens === null) continue
    if (gustOf(call.body?.user)?.isReported !== true) continue
    const { input, output } = tokensOf(call)
    const usage = { inputTokens: input, outputTokens: output }
    expect((await report(market, secret, { invocationId: id, usage })).status).toBe(200)
  }
  await letWait(market, PAST_WINDOW_SECONDS)
  await release(market)

  const ended = await rows()
  const counts = Object.groupBy(ended, ({ status }) => status)
  expect(Object.keys(counts).sort()).toEqual(['FAILED_FINAL', 'FAILED_RETRYABLE', 'SUCCEEDED'])
  let charged = 0n
  for (const { id, status, hold, charged: own } of ended) {
    const call = seen.get(id)
    if (status === 'SUCCEEDED') {
      if (call === undefined) throw new Error(`Nobody was called for ${id}.`)
      expect(BigInt(own)).toBe(minUsdc(costOf(tokensOf(call)), usdc(BigInt(hold))))
    } else expect(own).toBe('0')
    charged += BigInt(own)
  }
  // Some hang up before they have said a word.
  expect(seen.size).toBeGreaterThan(CALLS * 0.9)
  expect(counts.SUCCEEDED?.length).toBeGreaterThan(CALLS / 3)
  expect(await balanceOf(market, owner)).toMatchObject({ available: FUNDS - charged, held: 0n })
  expect((await balanceOf(market, market.provider)).receivable).toBe(charged)
  await market.assertBooks()
})
