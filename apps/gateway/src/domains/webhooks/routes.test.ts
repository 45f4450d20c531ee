import { webhookEventTypes } from '@farebox/wire/webhooks'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Listener,
  lowBalance,
  startWebhookGateway,
  type WebhookGateway,
} from '../../../test/kit/gateway/webhook-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { expectGenuine, startReceiver } from '../../../test/kit/provider/webhook-receiver.ts'

/** Nothing listens there; these tests deliver only explicitly. */
const TARGET = 'http://127.0.0.1:9/hook'
const refusal = (code: string, status: number) => ({ status, body: { code } })

let on: WebhookGateway
let guarded: WebhookGateway
let alice: Listener

beforeAll(async () => {
  const strict = { ALLOW_PRIVATE_TARGETS: 'false', ALLOW_HTTP_TARGETS: 'false' }
  ;[on, guarded] = await Promise.all([startWebhookGateway(), startWebhookGateway(strict)])
  alice = await on.listener()
})
afterAll(() => Promise.all([on.stop(), guarded.stop()]))

describe('registering', () => {
  test('returns the webhook, and its secret once', async () => {
    const { status, body } = await alice.ask('POST', '', {
      url: TARGET,
      events: ['balance.low', 'deposit.credited', 'balance.low'],
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      webhook: {
        id: expect.stringMatching(/^wh_/),
        url: TARGET,
        events: ['balance.low', 'deposit.credited'],
        status: 'active',
        disabledReason: null,
        failingSince: null,
        lastSuccessAt: null,
        previousSecretUntil: null,
        suppressedLastDay: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      secret: expect.stringMatching(/^whsec_/),
    })
    expect(Buffer.from(String(body.secret).replace('whsec_', ''), 'base64')).toHaveLength(32)
    const listed = await alice.ask<{ webhooks: unknown[] }>('GET', '')
    expect(listed.body.webhooks).toEqual([body.webhook])
    expect(JSON.stringify(listed.body)).not.toContain('whsec_')
  })

  test.each([
    ['no body', undefined],
    ['no url', { events: ['balance.low'] }],
    ['no events', { url: TARGET }],
    ['an empty list', { url: TARGET, events: [] }],
    ['an unknown event', { url: TARGET, events: ['balance.high'] }],
    ['the test event', { url: TARGET, events: ['webhook.test'] }],
    ['too many events', { url: TARGET, events: Array(10).fill('balance.low') }],
    ['a URL that is too long', { url: `http://a.example/${'a'.repeat(2_048)}`, events: ['balance.low'] }],
  ])('is rejected with %s', async (_, body) => {
    expect(await alice.ask('POST', '', body)).toMatchObject(refusal('INVALID_PAYLOAD', 400))
  })

  test.each([
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['https://user:secret@example.com/', 'userinfo'],
    ['example.com/hook', 'malformed'],
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://2130706433/', 'blocked_address'],
    ['https://0177.0.0.1/', 'blocked_address'],
    ['https://0x7f.1/', 'blocked_address'],
    ['https://[::1]/', 'blocked_address'],
    ['https://[::ffff:10.0.0.1]/', 'blocked_address'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://10.1.2.3/', 'blocked_address'],
    ['https://localhost/', 'blocked_address'],
    ['https://metadata.invalid/', 'unresolvable'],
  ])('at %s is rejected (%s), and so is a change to it', async (url, reason) => {
    const bob = await guarded.listener()
    const unsafe = { status: 400, body: { code: 'UNSAFE_TARGET_URL', detail: { reason } } }
    expect(await bob.ask('POST', '', { url, events: ['balance.low'] })).toMatchObject(unsafe)
    const { id } = await bob.register('https://8.8.8.8/hook')
    expect(await bob.ask('PATCH', `/${id}`, { url })).toMatchObject(unsafe)
    expect(await bob.webhook(id)).toMatchObject({ url: 'https://8.8.8.8/hook' })
  })

  test('is limited to ten per wallet, also in parallel; a deleted one makes room', async () => {
    const bob = await on.listener()
    const asked = Array.from({ length: 14 }, () =>
      bob.ask<{ webhook: { id: string } }>('POST', '', { url: TARGET, events: webhookEventTypes }),
    )
    const answers = await Promise.all(asked)
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({
      status: 422,
      body: { code: 'LIMIT_EXCEEDED', detail: { limit: 'webhooks', maxWebhooks: 10 } },
    })
    expect(await bob.ask('DELETE', `/${made[0]?.body.webhook.id}`)).toMatchObject({ status: 200 })
    await bob.register(TARGET)
  })
})

describe('a webhook', () => {
  test('can be changed: events, url, off and on', async () => {
    const { id } = await alice.register(TARGET)
    const change = async (body: object) =>
      (await alice.ask<{ webhook: object }>('PATCH', `/${id}`, body)).body.webhook
    expect(await change({ events: ['service.up'] })).toMatchObject({ events: ['service.up'], url: TARGET })
    expect(await change({ url: `${TARGET}2` })).toMatchObject({ events: ['service.up'], url: `${TARGET}2` })
    expect(await change({ isActive: false })).toMatchObject({ status: 'disabled', disabledReason: 'owner' })
    expect(await change({ events: ['balance.low'] })).toMatchObject({ status: 'disabled' })
    expect(await change({ isActive: true })).toMatchObject({ status: 'active', disabledReason: null })
    for (const body of [{}, { events: [] }, { isActive: 'yes' }, { url: '' }]) {
      expect(await alice.ask('PATCH', `/${id}`, body)).toMatchObject(refusal('INVALID_PAYLOAD', 400))
    }
  })

  test('gets no events of the time while it is disabled', async () => {
    const { id } = await alice.register(TARGET)
    await alice.ask('PATCH', `/${id}`, { isActive: false })
    await on.announce(lowBalance(alice.wallet))
    expect(await alice.deliveries(id)).toEqual([])
  })

  test('is deleted permanently', async () => {
    const { id } = await alice.register(TARGET)
    expect(await alice.ask('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { webhookId: id } })
    expect(await alice.ask('DELETE', `/${id}`)).toMatchObject(refusal('WEBHOOK_NOT_FOUND', 404))
    expect(await alice.webhook(id)).toBeUndefined()
  })

  test('rotates its secret; the body may be left out', async () => {
    const { id, secret } = await alice.register(TARGET)
    type Rotated = { secret: string; webhook: { previousSecretUntil: string | null } }
    const rotate = (body?: object) => alice.ask<Rotated>('POST', `/${id}/rotate`, body)
    const { body: first } = await rotate()
    expect(first.secret).not.toBe(secret)
    const overlap = Date.parse(first.webhook.previousSecretUntil ?? '') - Date.now()
    expect(Math.abs(overlap - 86_400_000)).toBeLessThan(60_000)
    const { body: second } = await rotate({ overlapSeconds: 0 })
    expect(second.webhook.previousSecretUntil).toBeNull()
    for (const overlapSeconds of [-1, 1.5, 604_801, 'a']) {
      expect(await rotate({ overlapSeconds })).toMatchObject(refusal('INVALID_PAYLOAD', 400))
    }
  })

  test('can be tested with a signed message that is no event', async () => {
    const at = await startReceiver()
    const { id, secret } = await alice.register(at.url)
    const { status, body } = await alice.ask<{ delivery: object }>('POST', `/${id}/test`)
    expect(status).toBe(200)
    expect(body.delivery).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0 })
    await on.deliver()
    const [got] = at.received
    await at.stop()
    if (got === undefined) throw new Error('Nothing was received.')
    expectGenuine(got, secret)
    expect(got.payload).toMatchObject({
      type: 'webhook.test',
      data: { walletAddress: alice.address, webhookId: id },
    })
    expect(await alice.deliveries(id)).toMatchObject([{ type: 'webhook.test', status: 'delivered' }])
  })
})

describe('the deliveries', () => {
  test('are listed newest first, page by page, and by status', async () => {
    const bob = await on.listener()
    const { id } = await bob.register(TARGET)
    for (let index = 0; index < 5; index += 1) await on.announce(lowBalance(bob.wallet))
    await on.deps.db.query(sql`
      update webhook_deliveries set status = 'failed'
      where webhook_id = ${id} and id = (select min(id) from webhook_deliveries where webhook_id = ${id})`)
    type Listed = { deliveries: { id: string; status: string }[]; nextCursor: string | null }
    const list = async (query: string) => (await bob.ask<Listed>('GET', `/${id}/deliveries${query}`)).body
    const all = (await list('')).deliveries.map(delivery => delivery.id)
    expect(all).toHaveLength(5)
    expect(all).toEqual(all.toSorted().toReversed())
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)
    const third = await list(`?limit=2&cursor=${second.nextCursor}`)
    expect([...first.deliveries, ...second.deliveries, ...third.deliveries].map(one => one.id)).toEqual(all)
    expect(third.nextCursor).toBeNull()
    expect((await list('?status=failed')).deliveries).toMatchObject([{ id: all[4], status: 'failed' }])
    for (const query of ['?cursor=!', '?limit=abc', '?status=lost']) {
      expect(await bob.ask('GET', `/${id}/deliveries${query}`)).toMatchObject(refusal('INVALID_REQUEST', 400))
    }
  })

  test('of an unknown replay are NOT_FOUND', async () => {
    const { id } = await alice.register(TARGET)
    for (const deliveryId of ['evt_none', '%00', 'a'.repeat(300)]) {
      const replayed = await alice.ask('POST', `/${id}/deliveries/${deliveryId}/replay`)
      expect(replayed).toMatchObject(refusal('NOT_FOUND', 404))
    }
  })
})

/** All operations on a single webhook. */
const operations = [
  ['PATCH', '', { isActive: true }],
  ['POST', '/rotate', {}],
  ['DELETE', '', undefined],
  ['GET', '/deliveries', undefined],
  ['POST', '/deliveries/evt_1/replay', undefined],
  ['POST', '/test', undefined],
] as const
/** All operations on webhooks. */
const every = [
  ['POST', '/any', { url: TARGET, events: ['balance.low'] }],
  ['GET', '/any', undefined],
  ...operations,
] as const

describe('a request', () => {
  test.each(operations)(
    "%s .../:id%s is WEBHOOK_NOT_FOUND for an unknown webhook or another owner's",
    async (...operation) => {
      const [method, path, body] = operation
      const bob = await on.listener()
      const { id } = await bob.register(TARGET)
      for (const asked of [id, 'wh_none', "wh_'; drop", '%F0%9F%92%A9']) {
        const answer = await alice.ask(
          method,
          `/${encodeURIComponent(decodeURIComponent(asked))}${path}`,
          body,
        )
        expect(answer).toMatchObject(refusal('WEBHOOK_NOT_FOUND', 404))
      }
      expect(await bob.webhook(id)).toMatchObject({ status: 'active', events: ['balance.low'] })
    },
  )

  test.each(every)(
    '%s %s needs the session of a wallet that is not suspended',
    async (method, path, body) => {
      const url = `/api/v1/webhooks${path === '/any' ? '' : `/wh_1${path}`}`
      const sent = { method, ...(body !== undefined && { body }) }
      expect(await send(on.url, url, sent)).toMatchObject(refusal('UNAUTHORIZED', 401))
      const bob = await on.listener()
      await on.deps.db.query(sql`update wallets set suspended_at = now() where address = ${bob.wallet}`)
      const answer = await send(on.url, url, { ...sent, token: bob.token })
      expect(answer).toMatchObject(refusal('WALLET_SUSPENDED', 403))
    },
  )

  test.each(every.filter(([method]) => method !== 'GET'))(
    '%s %s needs valid JSON within the size limit',
    async (method, path) => {
      const url = `${on.url}/api/v1/webhooks${path === '/any' ? '' : `/wh_1${path}`}`
      const ask = async (body: string, type: string) => {
        const headers = { authorization: `Bearer ${alice.token}`, 'content-type': type }
        const answer = await fetch(url, { method, headers, body })
        return { status: answer.status, body: (await answer.json()) as object }
      }
      expect(await ask('{"a":', 'application/json')).toMatchObject(refusal('INVALID_REQUEST', 400))
      expect(await ask('a=1', 'text/plain')).toMatchObject(refusal('UNSUPPORTED_MEDIA_TYPE', 415))
      const large = JSON.stringify({ a: 'a'.repeat(1_100_000) })
      expect(await ask(large, 'application/json')).toMatchObject(refusal('PAYLOAD_TOO_LARGE', 413))
    },
  )

  test('for too many tests, replays and changes is RATE_LIMITED', async () => {
    const { id } = await alice.register(TARGET)
    // Twice the limit at once: a slow machine refills some of it meanwhile.
    const refused = async (method: 'PATCH' | 'POST', path: string, body?: object) => {
      const answers = await Promise.all(
        Array.from({ length: 120 }, () => alice.ask(method, `/${id}${path}`, body)),
      )
      return answers.find(({ status }) => status === 429)
    }
    expect(await refused('POST', '/test')).toMatchObject({
      ...refusal('RATE_LIMITED', 429),
      headers: { 'retry-after': expect.any(String), 'ratelimit-policy': expect.any(String) },
    })
    expect(await refused('POST', '/deliveries/evt_1/replay')).toMatchObject(refusal('RATE_LIMITED', 429))
    // Each would end the pause of a receiver that fails.
    expect(await refused('PATCH', '', { isActive: true })).toMatchObject(refusal('RATE_LIMITED', 429))
  })
})
