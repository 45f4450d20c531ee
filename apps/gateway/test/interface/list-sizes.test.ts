import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { post, send } from '../kit/network/http.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, type Person, register } from '../kit/world/world.ts'

// Lists with more rows than anybody may ask for.

const SERVICES = 101
const TOPICS = 51
const TOPICS_OF_A_WALLET = 5
const FILL_MS = 120_000

let on: TestGateway
let upstream: TestProvider

beforeAll(async () => {
  ;[on, upstream] = await Promise.all([
    startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '86400' } }),
    startProvider(),
  ])
  const provider = await arrive(on)
  for (let number = 0; number < SERVICES; number += 1)
    await register(on, provider, { targets: [upstream.url], priceUsdc: '0.01' })
  for (let number = 0; number < TOPICS; number += TOPICS_OF_A_WALLET)
    await openTopics(await arrive(on), Math.min(TOPICS_OF_A_WALLET, TOPICS - number))
}, FILL_MS)
afterAll(async () => {
  await on.stop()
  await upstream.stop()
})

async function openTopics({ token }: Person, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const body = { title: `Topic ${number}`, category: 'general', body: 'A text.' }
    expect((await post(on, '/forum/topics', { token, body })).status).toBe(200)
  }
}

test.each([
  ['', 20],
  ['?limit=100', 100],
  ['?limit=101', 100],
])('discovery%s returns %i services', async (query, count) => {
  const { body } = await send<unknown[]>(on.url, `/api/v1/services/discover${query}`)
  expect(body).toHaveLength(count)
})

test.each([
  ['', 10],
  ['?pageSize=100', 100],
  ['?pageSize=101', 100],
])('the registry%s returns %i services', async (query, count) => {
  type Page = { services: unknown[]; pagination: { total: number } }
  const { body } = await send<Page>(on.url, `/marketplace/registry.json${query}`)
  expect(body.services).toHaveLength(count)
  expect(body.pagination.total).toBe(SERVICES)
})

test.each([
  ['', 20],
  ['?pageSize=50', 50],
  ['?pageSize=51', 50],
])('the forum%s returns %i topics', async (query, count) => {
  type Page = { topics: unknown[]; pagination: { total: number } }
  const { body } = await send<Page>(on.url, `/api/v1/forum/topics${query}`)
  expect(body.topics).toHaveLength(count)
  expect(body.pagination.total).toBe(TOPICS)
})
