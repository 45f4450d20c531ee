import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { lockLedger } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { interruptCall } from '../kit/gateway/interrupt-call.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { chatBody, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { EVENTS, type RawModel, startRawModel } from '../kit/llm/raw-model.ts'
import { listen } from '../kit/llm/stream-listener.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { balanceOf, invoke } from '../kit/world/world.ts'

const METRICS_TOKEN = 'what the scraper of these tests brings'

/** A gateway whose calls another releases as those of a dead one, although it lives on. */
let market: LlmMarket
let model: RawModel
beforeAll(async () => {
  market = await openLlmMarket({ env: { LEASE_SECONDS: '3600', METRICS_TOKEN } })
  model = await startRawModel(market)
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await model.stop()
  await market.stop()
})

const value = async (name: string, labels: Record<string, string> = {}) =>
  (await scrape(market, METRICS_TOKEN)).value(name, labels)
/** Batches that were decided on what the gateway holds in memory, and appended to that. */
const appended = () => value('farebox_ledger_batches_total', { how: 'appended' })
const conflicts = () => value('farebox_ledger_conflicts_total')

/** A call of another service by the same credential. */
const callOn = (payer: Payer) =>
  invoke(market, payer, { serviceId: market.chat, payload: { body: chatBody() } })

/** Calls by a credential until this gateway decides on what it holds in memory. */
async function warmUp(payer: Payer): Promise<void> {
  await until('a batch is decided on memory', async () => {
    const before = await appended()
    expect((await callOn(payer)).status).toBe(200)
    return (await appended()) > before
  })
}

/** Starts a stream. */
async function openStream(payer: Payer) {
  model.begin()
  const key = { idempotencyKey: 'stream' }
  const body = { serviceId: model.service, ...key, payload: { body: chatBody({ stream: true }) } }
  const caller = listen(market, payer, body)
  await model.untilOpen(1)
  await until('it has begun', () => caller.text() !== '')
  return caller
}
const endStream = () => {
  for (const { response } of model.open) response.end(EVENTS.stop + EVENTS.done)
}

async function expectReleased(payer: Payer, caller: { text(): string }): Promise<void> {
  expect(caller.text()).toContain('GATEWAY_INTERRUPTED')
  const rows = await market.sql(
    'select status from invocations where credential_id = $1 and idempotency_key = $2',
    [payer.id, 'stream'],
  )
  expect(rows).toEqual([{ status: 'FAILED_RETRYABLE' }])
  expect((await balanceOf(market, payer.owner)).held).toBe(0n)
}

test('a stream released by another gateway stays released, even in a batch with others', async () => {
  const payer = await newPayer(market)
  const caller = await openStream(payer)
  await interruptCall(market, payer)
  await warmUp(payer)

  // One batch waits, so that the end of the stream and the hold of a neighbour are one batch behind it.
  const lock = await lockLedger(market.database.url, payer.owner)
  const first = callOn(payer)
  await untilBlocked(market, 1)
  endStream()
  await until('the stream is over', () => caller.text().includes(EVENTS.stop))
  const neighbour = callOn(payer)
  await until('the neighbour waits', async () => (await value('farebox_calls_waiting')) === 1)
  await lock.release()

  expect((await first).status).toBe(200)
  expect((await neighbour).status).toBe(200)
  await caller.over
  await expectReleased(payer, caller)
})

test('the end of a stream is not appended if another gateway releases it meanwhile', async () => {
  const payer = await newPayer(market)
  const caller = await openStream(payer)
  await warmUp(payer)
  const before = await conflicts()
  await interruptCall(market, payer)
  endStream()
  await caller.over
  expect(await conflicts()).toBe(before + 1)
  await expectReleased(payer, caller)
})
