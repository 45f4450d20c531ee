import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, send } from '../kit/network/http.ts'
import { countStatuses } from '../kit/world/world.ts'

const QUOTA = 40
/** A tenth of it. */
const UNREPORTED = 4
const START = Date.now()

let now = START
const clock = { ...systemClock, now: () => now }
let one: TestGateway
let other: TestGateway
beforeAll(async () => {
  const env = { SEARCHES_PER_MINUTE: String(QUOTA), TRUST_PROXY: '1' }
  one = await startTestGateway({ env, clock })
  other = await startTestGateway({ env, clock, share: one })
})
afterAll(async () => {
  await other.stop()
  await one.stop()
})

const read = (on: TestGateway, client: string, path: string): Promise<Answer> =>
  send(on.url, path, { headers: { 'x-forwarded-for': client } })
const many = (count: number, ask: (turn: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, turn) => ask(turn)))

const PATHS = [
  ['forum', '/api/v1/forum/topics', 200],
  ['forum', '/api/v1/forum/topics/top_none', 404],
  ['services', '/api/v1/services/svc_none', 404],
  ['market', '/api/v1/market/tags', 200],
  ['discover', '/api/v1/services/discover', 200],
  ['registry', '/marketplace/registry.json', 200],
  ['seals', '/api/v1/proof/seals', 200],
] as const

test.each(PATHS)(
  'limits a client that reads at two gateways to its quota plus at most a tenth at each: %s, %s',
  async (name, path, status) => {
    now += 3_600_000
    const client = `203.0.113.${PATHS.findIndex(each => each[1] === path)}`
    const answers = await many(3 * QUOTA, turn => read(turn % 2 === 0 ? one : other, client, path))
    const { [status]: admitted = 0, 429: refused = 0 } = countStatuses(answers)
    expect(admitted + refused).toBe(3 * QUOTA)
    expect(admitted).toBeGreaterThanOrEqual(QUOTA)
    expect(admitted).toBeLessThanOrEqual(QUOTA + 2 * UNREPORTED)
    const refusal = answers.find(answer => answer.status === 429)
    expect(refusal?.body).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining(`The limit ${name} is ${QUOTA} requests per minute.`),
      detail: { policy: name, quota: QUOTA, windowSeconds: 60 },
    })
    expect((await read(one, '198.51.100.1', path)).status).toBe(status)
    // Each of the two may have admitted what the other has not heard of when it says when to come back.
    let again = refusal
    for (let turn = 0; turn < 3 && again?.status === 429; turn += 1) {
      now += 1_000 * Number(again.headers['retry-after'])
      again = await read(one, client, path)
    }
    expect(again?.status).toBe(status)
  },
)

test('limits a client that reads at one gateway to exactly its quota', async () => {
  now += 3_600_000
  const answers = await many(2 * QUOTA, () => read(one, '203.0.113.100', '/api/v1/forum/topics'))
  expect(countStatuses(answers)).toEqual({ 200: QUOTA, 429: QUOTA })
})

test('writes nothing to the database for a client that reads little, and stores one that reads much without its address', async () => {
  now += 3_600_000
  await one.sql('truncate client_rates')
  const ask = () => read(one, '203.0.113.101', '/api/v1/forum/topics')
  await many(UNREPORTED, ask)
  expect(await one.sql('select from client_rates')).toEqual([])
  await many(UNREPORTED, ask)
  const rows = await one.sql<{ policy: string; level: number; row: string }>(
    'select policy, level, r::text as row from client_rates r',
  )
  expect(rows).toMatchObject([{ policy: 'forum', level: QUOTA - UNREPORTED }])
  expect(rows[0]?.row).not.toContain('203.0.113')
})
