import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pair, startPair } from '../kit/gateway/gateway-pair.ts'
import { post } from '../kit/network/http.ts'
import { type Receiver, startReceiver } from '../kit/provider/webhook-receiver.ts'
import { until } from '../kit/until.ts'
import { alertsOf, setAlerts, untilDecided } from '../kit/world/alerts.ts'
import { mint, ownerWith } from '../kit/world/world.ts'

const CALLS = 30

let pair: Pair
let receiver: Receiver

beforeAll(async () => {
  pair = await startPair()
  receiver = await startReceiver()
})
afterAll(async () => {
  await pair.stop()
  await receiver.stop()
})

test('two gateways raise each alert once, whichever of them received the calls', async () => {
  const { one, two } = pair
  const owner = await ownerWith(one, '2.15')
  const credential = await mint(one, owner, { creditLimit: CALLS / 100 })
  const events = ['balance.low', 'budget.reached']
  await post(two, '/webhooks', { token: owner.token, body: { url: receiver.url, events } })
  await setAlerts(two, owner, { budgetPercents: [80, 100], balanceBelowUsdc: '2' })
  // Each call is followed by a look of both gateways, beside those of their own.
  await Promise.all(
    Array.from({ length: CALLS }, async (_, turn) => {
      expect((await pair.call(pair.gateway(turn), credential)).status).toBe(200)
      await untilDecided(one, one, two)
    }),
  )
  await untilDecided(one, one, two)
  const alerts = await alertsOf(one, owner)
  const kinds = alerts.map(({ type, data }) => `${type} ${'percent' in data ? data.percent : ''}`)
  expect(kinds.toSorted()).toEqual(['balance.low ', 'budget.reached 100', 'budget.reached 80'])
  await until('all alerts are delivered', async () => {
    const waiting = await one.sql("select 1 from webhook_deliveries where status = 'pending'")
    return receiver.received.length >= 3 && waiting.length === 0
  })
  expect(receiver.received).toHaveLength(3)
})
