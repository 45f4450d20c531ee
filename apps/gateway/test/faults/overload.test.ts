import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI, { APIError as OpenAiError } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { raisedAs } from '../compat/model-fixture.ts'
import { lockLedger } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, get, send } from '../kit/network/http.ts'
import { callTool, connectMcp, textOf } from '../kit/network/mcp-client.ts'
import { type SeenCall, sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { arrive, countStatuses, type InvokeBody, invoke, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.000100'
const METRICS_TOKEN = 'm'.repeat(16)
/** Places for calls that wait; one owner may fill half of them, which is more than goes into one batch. */
const PLACES = 800
const HALF = PLACES / 2
const IN_ONE_BATCH = 256
/** Calls of the hot owner that find no place. */
const TOO_MANY = 60
/** `Retry-After` of a call that finds no place, by the time that recent batches took: up to 30 seconds. */
const EXPECTED_WAIT = expect.stringMatching(/^([1-9]|[12]\d|30)$/)

let on: TestGateway
let upstream: TestProvider
let service: string
let blocker: Payer

beforeAll(async () => {
  on = await startTestGateway({
    env: { CALLS_WAITING_MAX: String(PLACES), CALL_WAIT_SECONDS_MAX: '10', METRICS_TOKEN },
  })
  upstream = await startProvider()
  service = await register(on, await arrive(on), {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
    manifest: { agentToolName: 'slow_tool' },
  })
  blocker = await payer()
})
afterAll(async () => {
  await upstream.stop()
  await on.stop()
})
beforeEach(() => upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))

const payer = (rpm = 50_000) => newPayer(on, '1', { rpm })

/** One call; `who` is what the provider sees of it. */
const call = (by: Payer, who: string, idempotencyKey: string) =>
  invoke(on, by, { serviceId: service, costUsdc: PRICE_USDC, idempotencyKey, payload: { body: { who } } })
const whoIn = ({ body }: SeenCall) => (JSON.parse(body) as { who: string }).who

async function countWaiting(): Promise<number> {
  const answer = await fetch(`${on.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  return Number(/^farebox_calls_waiting (\d+)$/m.exec(await answer.text())?.[1])
}

/** Blocks a batch of the gateway at its partition, so that further calls queue. */
async function block(): Promise<{ release(): Promise<Answer<InvokeBody>> }> {
  const lock = await lockLedger(on.database.url, blocker.owner)
  const blocked = call(blocker, 'blocker', `block-${Math.random()}`)
  await untilBlocked(on, 1)
  return {
    async release() {
      await lock.release()
      return blocked
    },
  }
}

/** Calls of one owner until the queue is full; returns which were shed, as soon as it is known. */
async function flood(by: Payer, keys: string) {
  const shed: string[] = []
  const calls = Array.from({ length: HALF + TOO_MANY }, async (_, index) => {
    const key = `${keys}-${index}`
    const answer = await call(by, 'hot', key)
    if (answer.status === 503) shed.push(key)
    return answer
  })
  await until('the hot owner has no place left', () => shed.length === TOO_MANY)
  await until('half of the room is full', async () => (await countWaiting()) === HALF)
  return { shed, answers: Promise.all(calls) }
}

test('failure 77: a busy owner is shed while another is admitted and waits for one batch at most', async () => {
  const [hot, cold] = [await payer(HALF + 1), await payer()]
  const { release } = await block()
  const { shed, answers } = await flood(hot, 'hot')
  const coldAnswer = call(cold, 'cold', 'cold')
  await until('the cold owner waits', async () => (await countWaiting()) === HALF + 1)
  expect((await release()).status).toBe(200)

  expect((await coldAnswer).status).toBe(200)
  // One at a time in the order of their batches: those of the first are before all others.
  expect(upstream.calls.map(whoIn).indexOf('cold')).toBeLessThanOrEqual(IN_ONE_BATCH)
  expect(countStatuses(await answers)).toEqual({ 200: HALF, 503: TOO_MANY })
  for (const answer of await answers) {
    if (answer.status === 200) continue
    expect(answer.body).toMatchObject({ code: 'UNAVAILABLE', detail: { retryAfterSeconds: 1 } })
    expect(answer.headers['retry-after']).toBe('1')
  }

  const charged = await on.sql<{ n: string }>('select count(*) as n from invocations where owner = $1', [
    hot.owner.account.address.toLowerCase(),
  ])
  expect(Number(charged[0]?.n)).toBe(HALF)
  await on.assertBooks()

  // Nothing was done for those that were shed: their keys are free. The rate has not counted them, or it would have
  // refused some of the others.
  const [key = ''] = shed
  const again = await call(hot, 'hot', key)
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined])
  await on.assertBooks()
})

test('a call at its provider while the queue is full is settled and answered', async () => {
  const [hot, cold] = [await payer(), await payer()]
  let finish: () => void = () => undefined
  upstream.respondWith((seen, response) => {
    if (whoIn(seen) === 'cold') finish = () => sendJson(response, 200, { done: true })
    else sendJson(response, 200, { done: true })
  })
  const seenBefore = upstream.calls.length
  const coldAnswer = call(cold, 'cold', 'held')
  await until('the call is at its provider', () => upstream.calls.length > seenBefore)
  const { release } = await block()
  const { answers } = await flood(hot, 'hot')
  finish()
  await release()
  expect(await coldAnswer).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } })
  expect(countStatuses(await answers)).toEqual({ 200: HALF, 503: TOO_MANY })
  await on.assertBooks()
})

describe('while the queue is full for an owner', () => {
  let hot: Payer
  let blocked: Awaited<ReturnType<typeof block>>
  let flooded: Awaited<ReturnType<typeof flood>>
  beforeEach(async () => {
    hot = await payer()
    blocked = await block()
    flooded = await flood(hot, 'full')
    return async () => {
      await blocked.release()
      await flooded.answers
      await on.assertBooks()
    }
  })

  test('its calls are refused before their bodies are read; requests without a batch are answered', async () => {
    const unreadable = await fetch(`${on.url}/api/v1/agent/invoke`, {
      method: 'POST',
      headers: { 'x-credential': hot.token, 'content-type': 'application/json' },
      body: '{"serviceId":',
    })
    expect([unreadable.status, await unreadable.json()]).toMatchObject([503, { code: 'UNAVAILABLE' }])
    expect((await get(on, '/balance', { token: hot.owner.token })).status).toBe(200)
    expect((await send(on.url, '/v1/models', { headers: { 'x-api-key': hot.token } })).status).toBe(200)
    expect((await send(on.url, '/health')).status).toBe(200)
  })

  test('the SDKs of OpenAI and Anthropic raise their own overload errors, with the time to retry', async () => {
    const options = { apiKey: hot.token, maxRetries: 0 }
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    const openAi = await raisedAs<OpenAiError>(
      OpenAiError,
      new OpenAI({ ...options, baseURL: `${on.url}/v1` }).chat.completions.create({ model: 'any', messages }),
    )
    expect([openAi.status, openAi.headers?.get('retry-after')]).toEqual([503, EXPECTED_WAIT])
    const retryAfterSeconds = Number(openAi.headers?.get('retry-after'))
    expect(openAi.error).toMatchObject({ farebox: { code: 'UNAVAILABLE', retryAfterSeconds } })
    const anthropic = await raisedAs<AnthropicError>(
      AnthropicError,
      new Anthropic({ ...options, baseURL: on.url }).messages.create({
        model: 'any',
        max_tokens: 10,
        messages,
      }),
    )
    expect([anthropic.status, anthropic.headers?.get('retry-after')]).toEqual([503, EXPECTED_WAIT])
    expect(anthropic.error).toMatchObject({
      type: 'error',
      error: { type: 'api_error', farebox: { code: 'UNAVAILABLE' } },
    })
    for (const error of [openAi, anthropic]) expect(error.headers?.get('x-should-retry')).toBeNull()
  })

  test('an MCP client reads from its tool result when to retry', async () => {
    const client = await connectMcp(on, hot)
    const result = await callTool(client, 'slow_tool', { who: 'hot' })
    const [, seconds] = /Call again in (\d+) seconds/.exec(textOf(result)) ?? []
    expect(seconds).toEqual(EXPECTED_WAIT)
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'farebox/code': 'UNAVAILABLE', 'farebox/retryAfterSeconds': Number(seconds) },
    })
    await client.close()
  })
})
