import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockRows } from '../kit/database/row-locks.ts'
import { post } from '../kit/network/http.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { expectGenuine, type Receiver, startReceiver } from '../kit/provider/webhook-receiver.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { PRICE } from '../kit/world/sold-service.ts'
import { type Fixture, FUNDS, startFixture } from './fixture.ts'

let fixture: Fixture
const receivers: Receiver[] = []

beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop()
  await fixture.stop()
})

/** A payer with a webhook. */
async function listening(...events: string[]) {
  const [payer, at] = [await fixture.payer(), await startReceiver()]
  receivers.push(at)
  const { body } = await post<{ secret: string; webhook: { id: string } }>(fixture.on, '/webhooks', {
    token: payer.owner.token,
    body: { url: at.url, events },
  })
  return { payer, at, id: body.webhook.id, secret: body.secret }
}

const failOnce = async (payer: Payer, key: string) => {
  fixture.upstream.respondWith((_, response) => sendJson(response, 404, {}))
  expect((await fixture.call(payer, key)).status).toBe(502)
  fixture.upstream.respondWith((_, response) => sendJson(response, 200, {}))
}

test('SIGKILL between sending and recording it: sent once more, under the same id', async () => {
  const { payer, at, id, secret } = await listening('invocation.failed')
  at.answer(() => undefined)
  await failOnce(payer, 'k')
  await until('the receiver has it', () => at.received.length === 1)
  await fixture.on.kill9()
  at.answer(200)
  // The claim of a gateway that died ends after a minute: it is put back instead of waited for.
  await fixture.on.sql("update webhooks set claimed_until = '-infinity', due_at = now() where id = $1", [id])
  await fixture.on.restart()
  await until('it is delivered', async () => {
    const rows = await fixture.on.sql(
      "select 1 from webhook_deliveries where webhook_id = $1 and status = 'delivered'",
      [id],
    )
    return rows.length === 1
  })
  await fixture.on.restart()
  await fixture.on.assertBooks()
  expect(at.received).toHaveLength(2)
  const [first, second] = at.received
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.body).toBe(first?.body)
  for (const got of at.received) expectGenuine(got, secret)
})

test('SIGKILL before sending: the next gateway delivers it', async () => {
  const { payer, at, id } = await listening('invocation.failed')
  const claim = (until: string) =>
    fixture.on.sql('update webhooks set claimed_until = $2 where id = $1', [id, until])
  await claim('infinity')
  await failOnce(payer, 'k')
  await fixture.on.kill9()
  expect(at.received).toEqual([])
  await claim('-infinity')
  await fixture.on.restart()
  await until('the receiver has it', () => at.received.length === 1)
})

test('a locked webhook delays neither a paid call nor its events', async () => {
  const { payer, at, id } = await listening('invocation.failed', 'balance.low')
  const lock = await lockRows(
    fixture.on.database.url,
    'select 1 from webhooks where id = $1 for no key update',
    [id],
  )
  await failOnce(payer, 'failed')
  expect((await fixture.call(payer, 'paid')).status).toBe(200)
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - PRICE, held: 0n })
  expect(at.received).toEqual([])
  await lock.release()
  await until('both are delivered', () => at.received.length === 2)
  expect(at.received.map(({ payload }) => payload.type).toSorted()).toEqual([
    'balance.low',
    'invocation.failed',
  ])
})
