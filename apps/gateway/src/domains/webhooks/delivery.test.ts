import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  failedCall,
  lowBalance,
  startWebhookGateway,
  type WebhookGateway,
} from '../../../test/kit/gateway/webhook-gateway.ts'
import { expectGenuine, type Receiver, startReceiver } from '../../../test/kit/provider/webhook-receiver.ts'
import { until } from '../../../test/kit/until.ts'
import { createUpstream } from '../../adapters/upstream/upstream.ts'
import type { Lookup } from '../../adapters/upstream/upstream-connector.ts'
import type { CamelCase, Log, Statement } from '../../ports.ts'
import { announce } from './announce.ts'
import { pruneDeliveries } from './prune-deliveries.ts'
import { RETRY_AFTER_SECONDS } from './rules.ts'

const DAY_MS = 86_400_000

let on: WebhookGateway
const receivers: Receiver[] = []

beforeAll(async () => {
  on = await startWebhookGateway()
})
afterEach(async () => {
  // Disables the webhooks of earlier tests.
  await on.deps.db.query(
    sql`update webhooks set status = 'disabled', disabled_reason = 'owner' where status = 'active'`,
  )
  for (const receiver of receivers.splice(0)) await receiver.stop()
})
afterAll(() => on.stop())

const receiver = async () => {
  const started = await startReceiver()
  receivers.push(started)
  return started
}

/** Returns a wallet with a webhook. */
async function fixture(events?: readonly string[]) {
  const [who, at] = [await on.listener(), await receiver()]
  return { who, at, ...(await who.register(at.url, events)) }
}

/** Makes the next attempt due now and ends the pause of the receiver. */
const hasten = (id: string) =>
  Promise.all([
    on.deps.db.query(sql`
      update webhook_deliveries set next_attempt_at = now() where webhook_id = ${id} and status = 'pending'`),
    on.deps.db.query(sql`update webhooks set due_at = now(), paused_until = '-infinity' where id = ${id}`),
  ])

describe('a delivery', () => {
  test('is signed by Standard Webhooks, with type, timestamp and data', async () => {
    const { who, at, id, secret } = await fixture()
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [got] = at.received
    if (got === undefined) throw new Error('Nothing was received.')
    expectGenuine(got, secret)
    expect(got.payload).toEqual({
      type: 'balance.low',
      timestamp: expect.any(String),
      data: {
        walletAddress: who.address,
        balanceUsdc: '0.990000',
        availableUsdc: '0.980000',
        heldUsdc: '0.010000',
        thresholdUsdc: '1.000000',
      },
    })
    expect(Math.abs(Date.parse(got.payload.timestamp) - Date.now())).toBeLessThan(60_000)
    expect(got.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Farebox-Webhook' })
    expect(await who.deliveries(id)).toMatchObject([
      {
        id: got.headers['webhook-id'],
        type: 'balance.low',
        status: 'delivered',
        attempts: 1,
        responseStatus: 204,
        error: null,
        nextAttemptAt: null,
        payload: got.payload,
      },
    ])
  })

  test("never carries the gateway's own signature: a receiver could pass it off as a paid call", async () => {
    const { who, at } = await fixture()
    const upstream = createUpstream(on.deps.config, { sign: () => ['signature', 'farebox=:AA==:'] })
    await on.announce(lowBalance(who.wallet))
    await on.deliver({ upstream })
    await upstream.close()
    expect(at.received).toHaveLength(1)
    for (const name of ['signature', 'signature-input', 'content-digest', 'farebox-invocation-id']) {
      expect(at.received[0]?.headers[name]).toBeUndefined()
    }
  })

  test('goes to every subscribed webhook of the wallet, under one id, and to no other', async () => {
    const { who, at } = await fixture(['balance.low', 'service.up'])
    const [second, other, stranger] = [await receiver(), await receiver(), await receiver()]
    await who.register(second.url)
    await who.register(other.url, ['service.down'])
    await (await on.listener()).register(stranger.url)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const ids = [...at.received, ...second.received].map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    expect([...other.received, ...stranger.received]).toEqual([])
  })

  test('is not created by a rolled back transaction', async () => {
    const { who, at, id } = await fixture()
    const rolledBack = on.deps.db.transaction(async tx => {
      await announce(on.deps, tx, [lowBalance(who.wallet)])
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    await on.deliver()
    expect(at.received).toEqual([])
    expect(await who.deliveries(id)).toEqual([])
  })

  test('is created once for repeated announcements under one key, also in parallel', async () => {
    const { who, at } = await fixture()
    await Promise.all(
      [1, 2, 3].map(() => on.announce(lowBalance(who.wallet, 'a'), lowBalance(who.wallet, 'b'))),
    )
    await on.announce(lowBalance(who.wallet, 'b'), lowBalance(who.wallet, 'a'), lowBalance(who.wallet, 'c'))
    await on.deliver()
    expect(at.received).toHaveLength(3)
  })

  test('that waits for another transaction of its owner is not lost', async () => {
    const { who, at } = await fixture()
    const [announced, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = on.deps.db.transaction(async tx => {
      await announce(on.deps, tx, [lowBalance(who.wallet)])
      announced.resolve()
      await go.promise
    })
    await announced.promise
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(at.received).toHaveLength(1)
    go.resolve()
    await slow
    await on.deliver()
    expect(at.received).toHaveLength(2)
  })
})

test('several gateways share the work and send each delivery once', async () => {
  const all = await Promise.all([fixture(), fixture(), fixture()])
  for (const { who } of all) await on.announce(...Array.from({ length: 12 }, () => lowBalance(who.wallet)))
  await Promise.all([on.deliver(), on.deliver(), on.deliver()])
  for (const { at } of all) {
    expect(at.received).toHaveLength(12)
    expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(12)
  }
})

test('a claim from before the clock of the database was set back does not delay the next event', async () => {
  const { who, at, id } = await fixture()
  const until = sql`now() + interval '3 hours'`
  await on.deps.db.query(
    sql`update webhooks set claimed_until = ${until}, due_at = ${until} where id = ${id}`,
  )
  await on.announce(lowBalance(who.wallet))
  await on.deliver()
  expect(at.received).toHaveLength(1)
})

test('a turn that ends while the other lane is polled is followed by the next one', async () => {
  const { who, at } = await fixture()
  await on.announce(...Array.from({ length: 25 }, () => lowBalance(who.wallet)))
  const { db } = on.deps
  let [begun, ended] = [0, 0]
  await on.deliver({
    db: {
      async query<Row extends CamelCase<Row>>(statement: Statement): Promise<Row[]> {
        const isClaim = statement.text.includes('claimed_until = ')
        const isOfPrompt = isClaim && statement.values.includes(true)
        if (isClaim && !isOfPrompt) await until('the turns have ended', () => ended === begun)
        const rows = await db.query<Row>(statement)
        if (isClaim) begun += rows.length
        return rows
      },
      async transaction(work) {
        const result = await db.transaction(work)
        ended += 1
        return result
      },
    },
  })
  expect(at.received).toHaveLength(25)
})

describe('a receiver that fails', () => {
  test('is retried on schedule, with the same id and body and a new signature', async () => {
    const { who, at, id, secret } = await fixture()
    at.answer(500)
    await on.announce(lowBalance(who.wallet))
    for (const [index, seconds] of RETRY_AFTER_SECONDS.entries()) {
      await on.deliver()
      const [delivery] = await who.deliveries(id)
      expect(delivery).toMatchObject({
        status: 'pending',
        attempts: index + 1,
        responseStatus: 500,
        error: 'status',
      })
      const pause = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.lastAttemptAt ?? '')
      // The receiver's own pause is never the longer one, as each failure is its first.
      expect(pause / 1_000).toBeGreaterThanOrEqual(Math.min(seconds, 300))
      expect(pause / 1_000).toBeLessThanOrEqual(seconds * 1.1 + 1)
      await hasten(id)
    }
    await on.deliver()
    expect(await who.deliveries(id)).toMatchObject([{ status: 'failed', attempts: 10, nextAttemptAt: null }])
    expect(at.received).toHaveLength(10)
    expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(at.received.map(({ body }) => body)).size).toBe(1)
    for (const got of at.received) expectGenuine(got, secret)
    await hasten(id)
    await on.deliver()
    expect(at.received).toHaveLength(10)
    expect(await who.webhook(id)).toMatchObject({ status: 'active', failingSince: expect.any(String) })
  })

  test.each([
    ['refuses', 400, { responseStatus: 400, error: 'status' }],
    ['redirects', 302, { responseStatus: 302, error: 'redirect' }],
  ])('that %s (%i) is recorded in the deliveries', async (_, status, reported) => {
    const { who, at, id } = await fixture()
    at.answer(status)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(await who.deliveries(id)).toMatchObject([{ status: 'pending', ...reported }])
  })

  test('by being unreachable is recorded: connect, no status', async () => {
    const { who, at, id } = await fixture()
    await at.stop()
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(await who.deliveries(id)).toMatchObject([
      { status: 'pending', attempts: 1, responseStatus: null, error: 'connect' },
    ])
  })

  test('and recovers gets the pending deliveries at once', async () => {
    const { who, at, id } = await fixture()
    at.answer(503)
    await on.announce(lowBalance(who.wallet), lowBalance(who.wallet), lowBalance(who.wallet))
    await on.deliver()
    // One attempt at a time while the receiver accepts nothing.
    expect(at.received).toHaveLength(1)
    at.answer(200)
    await hasten(id)
    await on.deliver()
    expect(at.received).toHaveLength(4)
    expect((await who.deliveries(id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'))
    expect(await who.webhook(id)).toMatchObject({ failingSince: null, lastSuccessAt: expect.any(String) })
  })

  test('is not called by every event, only after its pause', async () => {
    const { who, at } = await fixture()
    at.answer(500)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(at.received).toHaveLength(1)
  })

  test('and sends Retry-After gets no event until then', async () => {
    const { who, at, id } = await fixture()
    at.answer(response => response.writeHead(429, { 'retry-after': '3600' }).end())
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [delivery] = await who.deliveries(id)
    const pause = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.lastAttemptAt ?? '')
    expect(pause / 1_000).toBeGreaterThanOrEqual(3_600)
    expect(pause / 1_000).toBeLessThanOrEqual(3_600 * 1.1 + 1)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(at.received).toHaveLength(1)
    const [next] = await who.deliveries(id)
    const reported = Date.parse(next?.nextAttemptAt ?? '') - Date.parse(delivery?.lastAttemptAt ?? '')
    expect(next).toMatchObject({ attempts: 0 })
    expect(reported / 1_000).toBeGreaterThanOrEqual(3_600)
    at.answer(200)
    await hasten(id)
    await on.deliver()
    expect(at.received).toHaveLength(3)
  })

  test('with 410 Gone is never called again: the webhook is disabled', async () => {
    const { who, at, id } = await fixture()
    at.answer(410)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(await who.webhook(id)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    expect(await who.deliveries(id)).toMatchObject([{ status: 'failed', attempts: 1, responseStatus: 410 }])
    await on.announce(lowBalance(who.wallet))
    await hasten(id)
    await on.deliver()
    expect(at.received).toHaveLength(1)
    expect(await who.deliveries(id)).toHaveLength(1)
  })

  test('for five days is disabled, and gets pending deliveries when it is enabled again', async () => {
    const { who, at, id } = await fixture()
    at.answer(500)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    on.advance(5 * DAY_MS)
    await hasten(id)
    await on.deliver()
    on.advance(-5 * DAY_MS)
    expect(await who.webhook(id)).toMatchObject({ status: 'disabled', disabledReason: 'failing' })
    expect(await who.deliveries(id)).toMatchObject([{ status: 'pending', nextAttemptAt: null }])
    at.answer(200)
    await who.ask('PATCH', `/${id}`, { isActive: true })
    await hasten(id)
    await on.deliver()
    expect(await who.deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 3 }])
  })
})

describe('a replay', () => {
  test('sends a delivered event again, with the same id and body', async () => {
    const { who, at, id } = await fixture()
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [first] = await who.deliveries(id)
    const { status, body } = await who.ask('POST', `/${id}/deliveries/${first?.id}/replay`)
    expect(status).toBe(200)
    expect(body.delivery).toMatchObject({
      id: first?.id,
      status: 'pending',
      nextAttemptAt: expect.any(String),
    })
    await on.deliver()
    expect(at.received).toHaveLength(2)
    expect(at.received[1]?.body).toBe(at.received[0]?.body)
    expect(at.received[1]?.headers['webhook-id']).toBe(at.received[0]?.headers['webhook-id'])
    expect(await who.deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2 }])
  })

  test('of a failed one goes at once, whatever the state of the receiver, with the full schedule', async () => {
    const { who, at, id } = await fixture()
    at.answer(500)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [first] = await who.deliveries(id)
    await who.ask('POST', `/${id}/deliveries/${first?.id}/replay`)
    await on.deliver()
    expect(at.received).toHaveLength(2)
    const [again] = await who.deliveries(id)
    expect(Date.parse(again?.nextAttemptAt ?? '') - Date.now()).toBeLessThan(60_000)
  })
})

describe('one receiver', () => {
  test('that hangs does not delay another, however many deliveries wait for it', async () => {
    const [who, dead, well] = [await on.listener(), await receiver(), await receiver()]
    dead.answer(() => undefined)
    for (let index = 0; index < 8; index += 1) await who.register(dead.url)
    const { id, secret } = await who.register(well.url)
    for (let index = 0; index < 20; index += 1) await on.announce(lowBalance(who.wallet))
    const running = on.deliver()
    const startedAt = performance.now()
    await until('all events are delivered', async () => well.received.length === 20)
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    for (const got of well.received) expectGenuine(got, secret)
    // Deliveries are recorded at the end of their turn.
    await until('all is delivered', async () =>
      (await who.deliveries(id)).every(({ status }) => status === 'delivered'),
    )
    // The hanging receiver is limited to its share of turns.
    expect(dead.received.length).toBeLessThanOrEqual(4)
    await dead.stop()
    await on.deps.db.query(sql`update webhooks set status = 'disabled', disabled_reason = 'owner'
      where status = 'active'`)
    await running
  })

  test('that answers 2xx and then drips has received it', async () => {
    const { who, at, id } = await fixture()
    at.answer(response => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const drip = setInterval(() => response.write('.'.repeat(4_096)), 5)
      response.once('close', () => clearInterval(drip))
    })
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    expect(await who.deliveries(id)).toMatchObject([
      { status: 'delivered', responseStatus: 200, error: null },
    ])
  })
})

test('many receivers that hang, of several wallets, do not delay a new one', async () => {
  const hanging = await Promise.all(Array.from({ length: 80 }, () => receiver()))
  const [who, well] = [await on.listener(), await receiver()]
  for (const at of hanging) at.answer(() => undefined)
  for (let at = 0; at < hanging.length; at += 10) {
    const stranger = await on.listener()
    for (const { url } of hanging.slice(at, at + 10)) await stranger.register(url)
    await on.announce(lowBalance(stranger.wallet))
  }
  await who.register(well.url)
  await on.announce(lowBalance(who.wallet))
  const running = on.deliver()
  const startedAt = performance.now()
  await until('the new one has its event', () => well.received.length === 1)
  // A turn of a receiver that hangs ends after 15.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  await Promise.all(hanging.map(at => at.stop()))
  await on.deps.db.query(sql`update webhooks set status = 'disabled', disabled_reason = 'owner'
    where status = 'active'`)
  await running
})

describe('an excess of events', () => {
  test('of one type is counted instead of queued, and blocks no other type', async () => {
    const { who, at, id } = await fixture(['invocation.failed', 'balance.low'])
    const failures = Array.from({ length: 500 }, (_, number) => failedCall(who.wallet, number))
    await on.announce(...failures, lowBalance(who.wallet))
    await on.announce(...failures)
    expect(await who.webhook(id)).toMatchObject({ suppressedLastDay: 440 + 500 })
    await on.deliver()
    expect(at.received).toHaveLength(61)
    expect(at.received.filter(({ payload }) => payload.type === 'balance.low')).toHaveLength(1)
  })

  test('at a dead receiver is bounded', async () => {
    const { who, id } = await fixture()
    const many = Array.from({ length: 700 }, () => lowBalance(who.wallet))
    await on.announce(...many)
    await on.announce(...many)
    const [row] = await on.deps.db.query<{ count: bigint }>(
      sql`select count(*) from webhook_deliveries where webhook_id = ${id}`,
    )
    expect(row?.count).toBe(1_000n)
    expect(await who.webhook(id)).toMatchObject({ suppressedLastDay: 400 })
  })
})

test('finds the webhooks of an owner by an index that deliveries do not update', async () => {
  const plan = await on.deps.db.transaction(async tx => {
    // The table is small, so the planner would scan it.
    await tx.query(sql`set local enable_seqscan = off`)
    return tx.query<{ 'QUERY PLAN': string }>(sql`
      explain select 1 from webhooks
      where owner = any(${['0x0']}::text[]) and status = 'active' and events && '{a}'`)
  })
  // In the first line, or in the second once autovacuum has counted the rows.
  expect(plan.map(line => line['QUERY PLAN']).join('\n')).toContain('webhooks_by_owner')
})

describe('a private target', () => {
  test('is not reached by a name that changes after the registration', async () => {
    const guarded = { ALLOW_PRIVATE_TARGETS: false, ALLOW_HTTP_TARGETS: true }
    let address = '93.184.216.34'
    const lookup: Lookup = (_, answer) => answer(null, [{ address, family: 4 }])
    const upstream = createUpstream(guarded, { lookup })
    const { who, at, id } = await fixture()
    const { port } = new URL(at.url)
    const inside = `http://rebind.test:${port}/hook`
    await upstream.assertSafeTarget(inside, '')
    await on.deps.db.query(sql`update webhooks set url = ${inside} where id = ${id}`)
    address = '127.0.0.1'
    await on.announce(lowBalance(who.wallet))
    await on.deliver({ upstream })
    await upstream.close()
    expect(at.received).toEqual([])
    expect(await who.deliveries(id)).toMatchObject([{ status: 'pending', error: 'blocked_address' }])
  })
})

describe('a secret', () => {
  test('that was rotated signs beside the new one until it expires', async () => {
    const { who, at, id, secret } = await fixture()
    const rotated = await who.ask<{ secret: string }>('POST', `/${id}/rotate`, { overlapSeconds: 60 })
    const next = rotated.body.secret
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [both] = at.received
    if (both === undefined) throw new Error('Nothing was received.')
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    for (const each of [secret, next]) expectGenuine(both, each)
    await on.deps.db.query(sql`update webhooks set previous_until = now() where id = ${id}`)
    await on.announce(lowBalance(who.wallet))
    await on.deliver()
    const [, alone] = at.received
    if (alone === undefined) throw new Error('Nothing was received.')
    expectGenuine(alone, next)
    expect(() => expectGenuine(alone, secret)).toThrow('No matching signature')
  })

  test('is not in plain text in the database or a log', async () => {
    const lines: string[] = []
    const report = (fields: object, message: string) => void lines.push(message + JSON.stringify(fields))
    const log: Log = { debug: report, info: report, warn: report, error: report }
    const { who, at, id, secret } = await fixture()
    at.answer(410)
    await on.announce(lowBalance(who.wallet))
    await on.deliver({ log })
    const rows = await on.deps.db.query(sql`select w::text, d::text as d from webhooks w
      left join webhook_deliveries d on d.webhook_id = w.id where w.id = ${id}`)
    const kept = JSON.stringify(rows) + lines.join('\n')
    expect(lines).toHaveLength(1)
    expect(kept).not.toContain(secret.replace('whsec_', ''))
    await who.ask('DELETE', `/${id}`)
    expect(
      await on.deps.db.query(sql`select secret, previous_secret from webhooks where id = ${id}`),
    ).toEqual([{ secret: null, previousSecret: null }])
  })
})

describe('old deliveries', () => {
  test('are deleted after thirty days, and with their webhook', async () => {
    const { who, id } = await fixture()
    await on.announce(lowBalance(who.wallet, 'old'), lowBalance(who.wallet, 'new'))
    await on.deps.db.query(sql`update webhook_deliveries set created_at = now() - interval '31 days'
      where webhook_id = ${id} and once_key = 'old'`)
    await pruneDeliveries(on.deps, new AbortController().signal)
    expect(await who.deliveries(id)).toHaveLength(1)
    await who.ask('DELETE', `/${id}`)
    await pruneDeliveries(on.deps, new AbortController().signal)
    await on.deps.db.query(sql`update webhooks set updated_at = now() - interval '2 hours' where id = ${id}`)
    await pruneDeliveries(on.deps, new AbortController().signal)
    expect(await on.deps.db.query(sql`select 1 from webhooks where id = ${id}`)).toEqual([])
  })

  test('are deleted beyond the newest ten thousand of a webhook', async () => {
    const { who, id } = await fixture()
    await on.deps.db.query(sql`
      insert into webhook_deliveries (webhook_id, id, type, body, status)
      select ${id}, 'evt_' || lpad(n::text, 8, '0'), 'balance.low', '{}', 'delivered' from generate_series(1, 11500) n`)
    await pruneDeliveries(on.deps, new AbortController().signal)
    const [left] = await on.deps.db.query<{ count: bigint; oldest: string }>(
      sql`select count(*), min(id) as oldest from webhook_deliveries where webhook_id = ${id}`,
    )
    expect(left).toEqual({ count: 10_000n, oldest: 'evt_00001501' })
    await who.ask('DELETE', `/${id}`)
  })
})
