import OpenAI, { APIError } from 'openai'
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { get, send } from '../kit/network/http.ts'
import type { LlmBend } from '../kit/provider/llm-provider.ts'
import { startProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { balanceOf } from '../kit/world/world.ts'
import { billIn, type ModelFixture, raisedAs, startModelFixture } from './model-fixture.ts'

const messages = [{ role: 'user' as const, content: 'Tell me of the sea.' }]
const CHAT = '/v1/chat/completions'
type Body = OpenAI.ChatCompletionCreateParamsNonStreaming
type BookedAttempt = { id: string; service: string; status: string; charged: bigint }

let fixture: ModelFixture
let credential: { token: string; id: string }
let client: OpenAI
let offered = 0

beforeAll(async () => {
  fixture = await startModelFixture()
})
beforeEach(async () => {
  await use({})
  fixture.provider.bend({})
})
afterEach(() => fixture.assertCharges())
afterAll(() => fixture.stop())

/** Makes a new credential the one that asks. */
async function use(limits: Record<string, unknown>): Promise<void> {
  credential = await fixture.credential(limits)
  client = new OpenAI({ apiKey: credential.token, baseURL: `${fixture.on.url}/v1`, maxRetries: 0 })
}

/** Offers a model that its provider knows by another name. Each has a breaker of its own. */
async function offer(manifest: Record<string, unknown> = {}): Promise<string> {
  offered += 1
  const name = `model-${offered}`
  await fixture.offer(name, CHAT, { upstreamModel: `hidden-${name}`, ...manifest })
  return name
}

/** Bends the answers of one model. */
function bend(name: string, how: LlmBend): void {
  fixture.provider.bend(call => (call.body?.model === `hidden-${name}` ? how : {}))
}

const ask = (models: readonly string[], more: Record<string, unknown> = {}) =>
  ({ messages, models, ...more }) as unknown as Body

function create(body: Body, headers: Record<string, string> = {}) {
  return client.chat.completions.create(body, { headers }).withResponse()
}

/** The same request without a client. */
function post(path: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return fetch(`${fixture.on.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** Names of the models that the provider was asked for since a call. */
const askedSince = (from: number) =>
  fixture.provider.calls.slice(from).map(({ body }) => String(body?.model).replace('hidden-', ''))

/** The attempts of the credential as the books have them, in order. */
async function booked(): Promise<BookedAttempt[]> {
  const rows = () =>
    fixture.on.sql<BookedAttempt>(
      `select i.id, s.agent_tool_name as service, i.status, i.charged
       from invocations i join services s on s.id = i.service_id where credential_id = $1 order by i.drawn_at, i.id`,
      [credential.id],
    )
  await until('every call is over', async () => (await rows()).every(({ status }) => status !== 'PENDING'))
  return (await rows()).map(row => ({ ...row, charged: BigInt(row.charged) }))
}

async function readLogs(query: string): Promise<{ invocationId: string; chargedUsdc: string }[]> {
  const { token } = fixture.owner
  const log = await get<{ logs: { invocationId: string; chargedUsdc: string }[] }>(
    fixture.on,
    `/usage/logs?${query}`,
    { token },
  )
  return log.body.logs
}

const reported = (response: Response) => response.headers.get('farebox-attempts')

describe('a request that names several models', () => {
  test('is answered by the next one when the first fails, and charged for that alone', async () => {
    const [one, two, three] = [await offer(), await offer(), await offer()]
    bend(one, { status: 500 })
    const before = await balanceOf(fixture.on, fixture.owner)
    const from = fixture.provider.calls.length
    const { data, response } = await create(ask([two, three], { model: one, seed: 7 }))
    expect(data.model).toBe(two)
    expect(askedSince(from)).toEqual([one, two])
    for (const { body } of fixture.provider.calls.slice(from)) {
      expect(body).toMatchObject({ messages, seed: 7 })
      expect(body).not.toHaveProperty('models')
    }
    const [failed, answered, ...others] = await booked()
    expect(others).toEqual([])
    expect(failed).toMatchObject({ service: one, status: 'FAILED_RETRYABLE', charged: 0n })
    expect(answered).toMatchObject({ service: two, status: 'SUCCEEDED' })
    expect(reported(response)).toBe(`${one};reason=status;status=500;invocation=${failed?.id}`)
    expect(response.headers.get('farebox-invocation-id')).toBe(answered?.id)
    const after = await balanceOf(fixture.on, fixture.owner)
    expect(after).toMatchObject({
      available: before.available - (answered?.charged ?? 0n),
      held: before.held,
    })
    const logs = await readLogs(`credentialId=${credential.id}`)
    expect(logs.map(({ chargedUsdc }) => chargedUsdc !== '0.000000')).toEqual([true, false])
  })

  test("leaves attempts that the usage log finds by the request's key, given or generated", async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status: 500 })
    await create(ask([one, two]))
    await create(ask([one, two]), { 'idempotency-key': 'trip 4711' })
    // Without a count of retries.
    expect((await post('/chat/completions', ask([one, two]))).status).toBe(200)
    const ids = (await booked()).map(({ id }) => id)
    expect(ids).toHaveLength(6)
    for (const [key, attempts] of [
      [ids[0], ids.slice(0, 2)],
      ['trip 4711', ids.slice(2, 4)],
      [ids[4], ids.slice(4)],
      ['trip', []],
    ] as const) {
      const found = await readLogs(`idempotencyKey=${encodeURIComponent(key ?? '')}`)
      expect(found.map(({ invocationId }) => invocationId)).toEqual(attempts.toReversed())
    }
  })

  test('is answered by the first under its name, once per name, without attempts', async () => {
    const [one, two] = [await offer(), await offer()]
    const from = fixture.provider.calls.length
    const { data, response } = await create(ask([one, one, two]))
    expect([data.model, reported(response)]).toEqual([one, null])
    bend(one, { status: 500 })
    await create(ask([one, one, two]))
    expect(askedSince(from)).toEqual([one, one, two])
  })

  const passing: [string, (one: string) => Promise<void> | void, string][] = [
    ['is overloaded', one => bend(one, { status: 503 }), 'reason=status;status=503'],
    ['is asked too often', one => bend(one, { status: 429 }), 'reason=status;status=429'],
    ['redirects', one => bend(one, { status: 302, headers: { location: '/' } }), 'reason='],
    ['does not begin in time', one => bend(one, { stallBeforeHead: true }), 'reason=timeout'],
    ['has no healthy target', one => setHealth(one, false), 'reason=no_healthy_target'],
    ['is not active', one => setActive(one, false), 'reason=service_not_found'],
  ]
  test.each(passing)('falls back when a model %s', async (_, spoil, reason) => {
    const [one, two] = [await offer({ invoke: invokeWithin(300) }), await offer()]
    await spoil(one)
    const { data, response } = await create(ask([one, two]))
    expect(data.model).toBe(two)
    expect(reported(response)).toContain(`${one};${reason}`)
    fixture.provider.release()
  })

  test('skips unknown names, other dialects and services that are not models', async () => {
    const two = await offer()
    await fixture.offer('claude-1', '/v1/messages', { llmDialect: 'anthropic' })
    const { data, response } = await create(ask(['no such, "model"', 'claude-1', two]))
    expect(data.model).toBe(two)
    expect(reported(response)).toBe(
      'no_such___model_;reason=service_not_found, claude-1;reason=service_not_found',
    )
  })

  test('falls back when the connection is refused', async () => {
    const gone = await startProvider()
    const one = await offer({ invoke: { method: 'POST', targets: [{ url: gone.url }] } })
    await gone.stop()
    const { data, response } = await create(ask([one, await offer()]))
    expect(data.model).not.toBe(one)
    expect(reported(response)).toMatch(/reason=(connect|no_healthy_target)/)
  })

  test('falls back to a model that the credential can pay for', async () => {
    const dear = await offer({ outputPricePer1MTokensUsdc: '9000', maxAutoHoldUsdc: '100' })
    const two = await offer()
    await use({ creditLimit: 0.5 })
    const { data, response } = await create(ask([dear, two]))
    expect(data.model).toBe(two)
    expect(reported(response)).toBe(`${dear};reason=budget_exhausted`)
    expect(await booked()).toHaveLength(1)
  })

  test.each([400, 401, 404, 422])('does not fall back on a %i from a model', async status => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status })
    const from = fixture.provider.calls.length
    await raisedAs<APIError>(APIError, create(ask([one, two])))
    expect(askedSince(from)).toEqual([one])
  })

  test('does not fall back on a refusal by the cap or the allow-list, and holds nothing', async () => {
    const [one, two] = [await offer(), await offer()]
    const from = fixture.provider.calls.length
    const cap = { 'farebox-max-cost-usdc': '0.000001' }
    expect(await raisedAs(APIError, create(ask([one, two]), cap))).toMatchObject({ status: 422 })
    await use({ allowedServices: [two] })
    expect(await raisedAs(APIError, create(ask([one, two])))).toMatchObject({ status: 403 })
    expect(await booked()).toEqual([])
    expect(askedSince(from)).toEqual([])
  })

  test('fails like the last model when all fail, and charges nothing', async () => {
    const [one, two] = [await offer(), await offer()]
    fixture.provider.bend({ status: 503 })
    const answer = await post('/chat/completions', ask([one, 'nobody', two]))
    expect(answer.status).toBe(502)
    expect(reported(answer)).toMatch(
      new RegExp(`^${one};reason=status;status=503;invocation=inv_\\w+, nobody;reason=service_not_found$`),
    )
    const calls = await booked()
    expect(calls.map(({ charged }) => charged)).toEqual([0n, 0n])
    expect(answer.headers.get('farebox-invocation-id')).toBe(calls[1]?.id)
  })

  test('counts once towards the rate limit of its credential', async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status: 500 })
    await use({ rpm: 2 })
    await create(ask([one, two]))
    await create(ask([one, two]))
    expect(await raisedAs(APIError, create(ask([one, two])))).toMatchObject({ status: 429 })
  })

  test('stops falling back once its caller has left', async () => {
    const [one, two] = [await offer({ invoke: invokeWithin(1_000) }), await offer()]
    bend(one, { stallBeforeHead: true })
    const from = fixture.provider.calls.length
    const leaving = new AbortController()
    const asked = post('/chat/completions', ask([one, two]), {}, leaving.signal).catch(() => null)
    await until('the first is asked', () => fixture.provider.calls.length > from)
    leaving.abort()
    await asked
    await until('its attempt is over', async () => (await booked()).length === 1)
    // Another attempt would be held before this call is.
    await create(ask([two]))
    expect(await booked()).toMatchObject([{ service: one, charged: 0n }, { service: two }])
    expect(askedSince(from)).toEqual([one, two])
    fixture.provider.release()
  })

  const malformed: [string, Record<string, unknown>, string][] = [
    ['models that are not a list', { models: 'one' }, 'models'],
    ['no models', { models: [] }, 'models'],
    ['an invalid name', { models: ['one', 7] }, 'models.1'],
    ['six models', { models: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'models'],
    ['five models besides one', { model: 'a', models: ['b', 'c', 'd', 'e', 'f'] }, 'models'],
    ['an unknown order', { model: 'a', provider: { sort: 'luck' } }, 'provider.sort'],
    ['an unknown member of provider', { model: 'a', provider: { sort: 'price', order: ['x'] } }, 'provider'],
    ['an order of several models', { models: ['a', 'b'], provider: { sort: 'price' } }, 'provider'],
    ['no model at all', {}, 'model'],
  ]
  test.each(malformed)('is 400 for %s, and names the member', async (_, members, named) => {
    const error = await raisedAs(APIError, create({ messages, ...members } as unknown as Body))
    expect(error).toMatchObject({ status: 400, param: named })
    expect(await booked()).toEqual([])
  })

  test('drops its own members when they are null', async () => {
    const one = await offer()
    await create({ ...ask([]), model: one, models: null, provider: null } as unknown as Body)
    expect(fixture.provider.call().body).not.toHaveProperty('models')
    expect(fixture.provider.call().body).not.toHaveProperty('provider')
  })
})

describe.each([
  ['/v1/embeddings', '/embeddings', { input: 'Hi.' }],
  ['/v1/completions', '/completions', { prompt: 'Hi.' }],
])('a request to %s', (target, path, body) => {
  test('that names several models is answered by the next one, under its name', async () => {
    const at = { invoke: { method: 'POST', targets: [{ url: fixture.provider.url + target }] } }
    const [one, two] = [await offer(at), await offer(at)]
    bend(one, { status: 500 })
    const answer = await post(path, { ...body, models: [one, two] })
    expect([answer.status, reported(answer)]).toEqual([200, expect.stringContaining(`${one};reason=status`)])
    expect(await answer.json()).toMatchObject({ model: two })
    expect(await booked()).toMatchObject([{ charged: 0n }, { service: two, status: 'SUCCEEDED' }])
  })
})

describe('a streamed request that names several models', () => {
  test('is streamed by the next one under its name, with the attempts in its head', async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status: 500 })
    const answer = await post('/chat/completions', ask([one, two], { stream: true }))
    expect(reported(answer)).toContain(`${one};reason=status;status=500`)
    const text = await answer.text()
    const named = [...text.matchAll(/"model":"([^"]*)"/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set([two]))
    expect(text).toContain('data: [DONE]')
    const calls = await booked()
    expect(calls).toMatchObject([{ charged: 0n }, { status: 'SUCCEEDED' }])
    expect(billIn(text).invocationId).toBe(calls[1]?.id)
  })

  test('does not fall back after the first byte', async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { cutAfterEvents: 2 })
    const from = fixture.provider.calls.length
    const text = await (await post('/chat/completions', ask([one, two], { stream: true }))).text()
    expect(text).not.toContain('[DONE]')
    expect(askedSince(from)).toEqual([one])
    await fixture.on.sql(`update metered_calls set processing_since = now() - interval '1 hour'
                        where processing_since is not null`)
  })

  test('names the model that answered in every response of the Responses API', async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status: 500 })
    const stream = await client.responses.create({
      input: 'Hi.',
      models: [one, two],
      stream: true,
    } as unknown as ResponseCreateParamsStreaming)
    const named: string[] = []
    for await (const event of stream) if ('response' in event) named.push(event.response.model)
    expect(named.length).toBeGreaterThan(1)
    expect(new Set(named)).toEqual(new Set([two]))
  })
})

describe('an idempotency key of a request that names several models', () => {
  const key = { 'idempotency-key': 'one-key' }

  test('replays the answer of the model that succeeded, whole and streamed, and charges once', async () => {
    const [one, two] = [await offer(), await offer()]
    bend(one, { status: 500 })
    for (const stream of [false, true]) {
      const from = fixture.provider.calls.length
      const own = { 'idempotency-key': `key-${stream}` }
      const first = await post('/chat/completions', ask([one, two], { stream }), own)
      const text = await first.text()
      fixture.provider.bend({})
      const again = await post('/chat/completions', ask([one, two], { stream }), own)
      expect(await again.text()).toBe(text)
      expect([reported(again), again.headers.get('idempotent-replayed')]).toEqual([reported(first), 'true'])
      expect(askedSince(from)).toEqual([one, two])
      bend(one, { status: 500 })
    }
    expect((await booked()).filter(({ charged }) => charged > 0n)).toHaveLength(2)
  })

  test('replays the failure of all models', async () => {
    const [one, two] = [await offer(), await offer()]
    fixture.provider.bend({ status: 500 })
    const first = await post('/chat/completions', ask([one, two]), key)
    fixture.provider.bend({})
    const again = await post('/chat/completions', ask([one, two]), key)
    expect([again.status, reported(again)]).toEqual([first.status, reported(first)])
    expect(again.headers.get('farebox-invocation-id')).toBe(first.headers.get('farebox-invocation-id'))
    expect(await booked()).toHaveLength(2)
  })

  test("replays the later model's answer even when the first has recovered", async () => {
    const [one, two] = [await offer(), await offer()]
    await setActive(one, false)
    const { data } = await create(ask([one, two]), key)
    await setActive(one, true)
    const again = await create(ask([one, two]), key)
    expect(again.data).toEqual(data)
    expect(await booked()).toMatchObject([{ service: two, status: 'SUCCEEDED' }])
  })

  test('identifies one request: another body is 409', async () => {
    const [one, two] = [await offer(), await offer()]
    await create(ask([one, two]), key)
    for (const other of [
      ask([two, one]),
      ask([one, two], { seed: 1 }),
      ask([one]),
      { ...ask([]), model: one },
    ]) {
      const { models, ...plain } = other as unknown as { models: string[] }
      const body = models.length === 0 ? plain : other
      expect((await post('/chat/completions', body, key)).status).toBe(409)
    }
    expect(await booked()).toHaveLength(1)
  })

  test('is charged once for many parallel requests', async () => {
    const [one, two, three] = [await offer(), await offer(), await offer()]
    fixture.provider.bend(call => (call.body?.model === `hidden-${three}` ? {} : { status: 500 }))
    const asked = Array.from({ length: 12 }, () => post('/chat/completions', ask([one, two, three]), key))
    for (const { status } of await Promise.all(asked)) expect([200, 409]).toContain(status)
    const calls = await booked()
    expect(calls.map(({ service }) => service)).toEqual([one, two, three])
    expect(calls.filter(({ charged }) => charged > 0n)).toHaveLength(1)
    expect((await post('/chat/completions', ask([one, two, three]), key)).status).toBe(200)
    expect(await booked()).toHaveLength(3)
  })
})

describe('a request for a model family', () => {
  test.each([
    ['price', ['cheap', 'fast', 'quick']],
    ['latency', ['quick', 'fast', 'cheap']],
    ['throughput', ['fast', 'cheap', 'quick']],
  ])('is tried by %s', async (sort, order) => {
    const family = `family-${sort}`
    const manifest = (price: string) => ({ modelFamily: family, outputPricePer1MTokensUsdc: price })
    const names: Record<string, string> = {
      quick: await offer(manifest('10.000003')),
      cheap: await offer({ ...manifest('1') }),
      fast: await offer({ ...manifest('5') }),
    }
    await fixture.offer(`other-${sort}`, '/v1/messages', { ...manifest('0'), llmDialect: 'anthropic' })
    await setRating(names.quick, { latency: 10, speed: 1 })
    await setRating(names.fast, { latency: 20, speed: 1_000 })
    await setRating(names.cheap, { latency: 30, speed: 2 })
    fixture.provider.bend({ status: 503 })
    const from = fixture.provider.calls.length
    await post('/chat/completions', { model: names.quick, messages, provider: { sort } })
    expect(askedSince(from)).toEqual(order.map(each => names[each]))
    expect(fixture.provider.call().body).not.toHaveProperty('provider')
  })

  test('is tried by the highest price of its input, as its provider says what was cached', async () => {
    const modelFamily = 'family-cached'
    const bait = { inputPricePer1MTokensUsdc: '0', outputPricePer1MTokensUsdc: '0', maxAutoHoldUsdc: '100' }
    const names = [
      await offer({ modelFamily, ...bait, cacheWritePricePer1M: '60' }),
      await offer({ modelFamily, ...bait, cacheReadPricePer1M: '50' }),
      await offer({ modelFamily }),
      await offer({ modelFamily, ...bait, cacheReadPricePer1M: '1', cacheWritePricePer1M: '2' }),
    ]
    fixture.provider.bend({ status: 503 })
    const from = fixture.provider.calls.length
    await post('/chat/completions', { model: names[2], messages, provider: { sort: 'price' } })
    expect(askedSince(from)).toEqual(names.toReversed())
  })

  test('is tried at no model of over ten times the cost of the named one, unless the credential names it', async () => {
    const manifest = (price: string, mediaTokens?: number) => ({
      modelFamily: 'family-of-prices',
      inputPricePer1MTokensUsdc: price,
      outputPricePer1MTokensUsdc: price,
      mediaTokens,
    })
    const [named, dear, bait, imageBait] = [
      await offer(manifest('1')),
      await offer(manifest('10', 20_000)),
      await offer(manifest('10.000001')),
      await offer(manifest('1', 20_001)),
    ]
    for (const [place, name] of [imageBait, bait, dear, named].entries())
      await setRating(name, { latency: 10 + place, speed: 1 })
    fixture.provider.bend({ status: 503 })
    const body = { model: named, messages, provider: { sort: 'latency' } }
    const from = fixture.provider.calls.length
    await post('/chat/completions', body)
    expect(askedSince(from)).toEqual([dear, named])

    await use({ allowedServices: [named, bait] })
    const later = fixture.provider.calls.length
    await post('/chat/completions', body)
    expect(askedSince(later)).toEqual([bait, named])
  })

  test('is answered by an allowed model of the family when the named one is inactive', async () => {
    const family = { modelFamily: 'family-of-three' }
    const [one, two, three] = [await offer(family), await offer(family), await offer(family)]
    await setActive(one, false)
    await use({ allowedServices: [one, three] })
    const from = fixture.provider.calls.length
    const body = { model: one, messages, provider: { sort: 'price' } } as unknown as Body
    const { data } = await create(body)
    expect([data.model, askedSince(from)]).toEqual([three, [three]])
    expect(two).not.toBe(three)
  })

  test('is replayed by its key after the model that answered has left the family', async () => {
    const family = { modelFamily: 'family-of-two' }
    const [one, two] = [await offer(family), await offer(family)]
    bend(one, { status: 503 })
    const body = { model: one, messages, provider: { sort: 'price' } } as unknown as Body
    const { data } = await create(body, { 'idempotency-key': 'family' })
    expect(data.model).toBe(two)
    await setActive(two, false)
    // Rankings are served from memory for two seconds.
    await until('it has left', async () => {
      const { response } = await client.chat.completions
        .create(body)
        .withResponse()
        .catch(({ headers }) => ({
          response: { headers },
        }))
      return response.headers.get('farebox-attempts') === null
    })
    const again = await create(body, { 'idempotency-key': 'family' })
    expect(again.data).toEqual(data)
    expect((await booked()).filter(({ charged }) => charged > 0n)).toHaveLength(1)
  })

  test('is answered by the model itself when it has no family', async () => {
    const one = await offer()
    const { data } = await create({ model: one, messages, provider: { sort: 'latency' } } as unknown as Body)
    expect(data.model).toBe(one)
  })
})

const invokeWithin = (timeoutMs: number) => ({
  method: 'POST',
  targets: [{ url: fixture.provider.url + CHAT }],
  timeoutMs,
})

async function setHealth(name: string, isHealthy: boolean): Promise<void> {
  await fixture.on.sql(
    `update service_targets set is_healthy = $2, next_probe_at = 'infinity'
     where service_id = (select id from services where agent_tool_name = $1)`,
    [name, isHealthy],
  )
}

async function setActive(name: string, isActive: boolean): Promise<void> {
  const { status } = await send(fixture.on.url, `/api/v1/services/${name}`, {
    method: 'PUT',
    token: fixture.seller.token,
    body: { isActive },
  })
  expect(status).toBe(200)
}

async function setRating(name: string | undefined, { latency, speed }: { latency: number; speed: number }) {
  await fixture.on.sql(
    `insert into service_ratings (service_id, success_rate, latency_ms, tokens_per_second, is_rated, reliability, quality)
     select id, 1, $2, $3, true, 1, 1 from services where agent_tool_name = $1
     on conflict (service_id) do update set latency_ms = excluded.latency_ms,
       tokens_per_second = excluded.tokens_per_second, is_rated = true`,
    [name, latency, speed],
  )
}
