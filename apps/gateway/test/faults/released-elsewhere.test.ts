import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { interruptCall } from '../interrupt.ts'
import { listen } from '../llm/leaving.ts'
import { chatBody, type LlmMarket, openLlmMarket } from '../llm/market.ts'
import { newPayer, type Payer } from '../llm/payers.ts'
import { EVENTS, type RawModel, startRawModel } from '../llm/raw-model.ts'
import { scrape } from '../prometheus.ts'
import { balanceOf, invoke, until } from '../world.ts'
import { lockRows } from './row-locks.ts'
import { untilBlocked } from './scene.ts'

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
const remembered = () => value('farebox_batch_memory_total', { result: 'hit' })
/** Batches that were decided on what was remembered, wrongly too: a wait for a lock may be longer than a clock is trusted. */
const recalled = async () =>
  (await remembered()) + (await value('farebox_batch_memory_total', { result: 'wrong' }))

/** A call of another service by the same credential. */
const callOn = (payer: Payer) =>
  invoke(market, payer, { serviceId: market.chat, payload: { body: chatBody() } })

/** Calls by a credential until this gateway decides on what it remembers of its rows. */
async function warmUp(payer: Payer): Promise<void> {
  await until('a batch is decided on memory', async () => {
    const before = await remembered()
    expect((await callOn(payer)).status).toBe(200)
    return (await remembered()) > before
  })
}

test('a stream that was released elsewhere stays released, in a batch on remembered rows, too', async () => {
  const payer = await newPayer(market)
  model.begin()
  const key = { idempotencyKey: 'stream' }
  const body = { serviceId: model.service, ...key, payload: { body: chatBody({ stream: true }) } }
  const caller = listen(market, payer, body)
  await model.untilOpen(1)
  await until('it has begun', () => caller.text() !== '')
  await interruptCall(market, payer)
  await warmUp(payer)

  // One batch waits, so that the end of the stream and the hold of a neighbour are one batch behind it.
  const lock = await lockRows(market.database.url, 'select 1 from credentials where id = $1 for update', [
    payer.id,
  ])
  const first = callOn(payer)
  await untilBlocked(market, 1)
  for (const { response } of model.open) response.end(EVENTS.stop + EVENTS.done)
  await until('the stream is over', () => caller.text().includes(EVENTS.stop))
  const neighbour = callOn(payer)
  await until('the neighbour waits', async () => (await value('farebox_calls_waiting')) === 1)
  const before = await recalled()
  await lock.release()

  expect((await first).status).toBe(200)
  expect((await neighbour).status).toBe(200)
  await caller.over
  expect(await recalled()).toBeGreaterThan(before)
  expect(caller.text()).toContain('GATEWAY_INTERRUPTED')
  const rows = await market.sql(
    'select status from invocations where credential_id = $1 and idempotency_key = $2',
    [payer.id, key.idempotencyKey],
  )
  expect(rows).toEqual([{ status: 'FAILED_RETRYABLE' }])
  expect((await balanceOf(market, payer.owner)).held).toBe(0n)
})
