import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Pair, startPair } from '../kit/gateway/gateway-pair.ts'
import { send } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { PRICE } from '../kit/world/sold-service.ts'
import { mint, ownerWith, type Person } from '../kit/world/world.ts'

const CALLERS = 12

let pair: Pair
beforeAll(async () => {
  pair = await startPair()
})
afterAll(() => pair.stop())
beforeEach(() => pair.upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))
afterEach(() => pair.one.assertBooks())

const setPolicy = async (turn: number, owner: Person, body: object) => {
  const { status } = await send(pair.gateway(turn).url, '/api/v1/balance/spending-limit', {
    method: 'PUT',
    token: owner.token,
    body,
  })
  expect(status).toBe(200)
}
/** The time of the database, once something has been answered. */
const clock = async () => {
  const [row] = await pair.one.sql<{ now: string }>('select clock_timestamp()::text as now')
  return row?.now ?? 'the database told no time'
}

/** Calls at both gateways without a pause, from two credentials of one owner, until stopped. */
async function storm(owner: Person, change: () => Promise<void>): Promise<{ refusals: Set<unknown> }> {
  const agents = [await mint(pair.one, owner), await mint(pair.two, owner)]
  const limits: unknown[] = []
  let answered = 0
  let isOver = false
  const caller = async (turn: number) => {
    const agent = agents[turn % 2]
    if (agent === undefined) throw new Error('There is no agent.')
    while (!isOver) {
      const { status, body } = await pair.call(pair.gateway(turn >> 1), agent)
      answered += 1
      if (status !== 200) limits.push(body.detail.limit)
    }
  }
  const running = Promise.all(Array.from({ length: CALLERS }, (_, turn) => caller(turn)))
  await until('calls are answered', () => answered > 30)
  await change()
  const seen = answered
  await until('calls go on', () => answered > seen + 60)
  isOver = true
  await running
  return { refusals: new Set(limits) }
}

/** Draws of an owner, in the order of their time; and those after a time. */
async function draws(owner: Person, after: string): Promise<{ all: number; late: number }> {
  const [row] = await pair.one.sql<{ all: string; late: string }>(
    `select count(*) as all, count(*) filter (where drawn_at > $2::timestamptz) as late
     from invocations where owner = $1`,
    [owner.account.address.toLowerCase(), after],
  )
  return { all: Number(row?.all), late: Number(row?.late) }
}

test.each([
  ['spendingLimitUsdc', 'policy_monthly'],
  ['dailyLimitUsdc', 'policy_daily'],
  ['perCallLimitUsdc', 'policy_per_call'],
])(
  'failure 17: once a lower %s is acknowledged, neither gateway admits a call above it',
  async (name, limit) => {
    const owner = await ownerWith(pair.one, '50')
    let answeredAt = ''
    const { refusals } = await storm(owner, async () => {
      await setPolicy(1, owner, { [name]: '0.000001' })
      answeredAt = await clock()
    })
    expect(refusals).toEqual(new Set([limit]))
    const { all, late } = await draws(owner, answeredAt)
    expect(all).toBeGreaterThan(20)
    expect(late).toBe(0)
  },
  30_000,
)

test('failure 17: a limit that is raised and lowered under load is enforced to the last micro-USDC', async () => {
  const owner = await ownerWith(pair.one, '50')
  await setPolicy(0, owner, { spendingLimitUsdc: '1000' })
  let cap = 0n
  const { refusals } = await storm(owner, async () => {
    for (const turn of [0, 1, 0, 1]) {
      const [row] = await pair.one.sql<{ drawn: string }>(
        'select month_drawn::text as drawn from spending_policies where owner = $1',
        [owner.account.address.toLowerCase()],
      )
      cap = BigInt(row?.drawn ?? 0) + 40n * PRICE
      const micros = cap.toString().padStart(7, '0')
      await setPolicy(turn, owner, { spendingLimitUsdc: `${micros.slice(0, -6)}.${micros.slice(-6)}` })
    }
  })
  expect(refusals.size).toBeLessThanOrEqual(1)
  const [row] = await pair.one.sql<{ drawn: string }>(
    'select month_drawn::text as drawn from spending_policies where owner = $1',
    [owner.account.address.toLowerCase()],
  )
  expect(BigInt(row?.drawn ?? -1)).toBeLessThanOrEqual(cap)
}, 30_000)
