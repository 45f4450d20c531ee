import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sealEntries } from '../../src/domains/ledger/proof/seal-entries.ts'
import { scrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, get, send } from '../kit/network/http.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { arrive, invoke, mint, ownerWith, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.001000'
const PUBLIC_CONNECTIONS = 4
const SEARCHES = 40
const METRICS_TOKEN = 'a token of more than 16 characters'
/** Jobs that guard money and run more often than once a second here. */
const JOBS = ['keep-lease', 'recover-calls', 'follow-vault', 'reconcile']

let gateway: TestGateway
let upstream: TestProvider
let service: string
beforeAll(async () => {
  gateway = await startTestGateway({
    env: {
      METRICS_TOKEN,
      PUBLIC_DATABASE_CONNECTIONS: String(PUBLIC_CONNECTIONS),
      RECONCILE_INTERVAL_SECONDS: '0.5',
      LEASE_SECONDS: '5',
    },
  })
  upstream = await startProvider()
  service = await register(gateway, await arrive(gateway), {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
  })
})
afterAll(async () => {
  await gateway.assertBooks()
  await upstream.stop()
  await gateway.stop()
})

/** Statements of public reads that the database is working on, or that wait for a lock in it. */
async function publicStatements(): Promise<number> {
  const rows = await gateway.sql(
    `select from pg_stat_activity
     where datname = current_database() and application_name = 'farebox-public' and state <> 'idle'`,
  )
  return rows.length
}

/** Keeps this many searches of the forum in flight, until `isOver`. */
async function crowd(isOver: () => boolean): Promise<Answer[]> {
  const answers: Answer[] = []
  const search = async (seat: number) => {
    while (!isOver()) answers.push(await get(gateway, `/forum/topics?q=misspeled${seat}`))
  }
  await Promise.all(Array.from({ length: SEARCHES }, (_, seat) => search(seat)))
  return answers
}

test('public searches that hang delay only each other, and the database ends each after a second', async () => {
  const owner = await ownerWith(gateway, '1')
  const credential = await mint(gateway, owner)
  const runs = async (outcome: string) => {
    const metrics = await scrape(gateway, METRICS_TOKEN)
    return JOBS.map(name => metrics.value('farebox_job_runs_total', { name, outcome }))
  }
  const locker = new pg.Client({ connectionString: gateway.database.ownerUrl })
  await locker.connect()
  let isOver = false
  try {
    await locker.query('begin; lock table forum_topics in access exclusive mode')
    const searches = crowd(() => isOver)
    await until('every connection for public reads waits', async () => {
      return (await publicStatements()) === PUBLIC_CONNECTIONS
    })
    const [before, failedBefore] = [await runs('done'), await runs('failed')]
    const body = { serviceId: service, costUsdc: PRICE_USDC, payload: { body: { q: 1 } } }
    expect((await invoke(gateway, credential, body)).status).toBe(200)
    expect((await send(gateway.url, '/ready')).status).toBe(200)
    expect((await get(gateway, '/balance', { token: owner.token })).status).toBe(200)
    await sealEntries(gateway.gateway.deps, new AbortController().signal)
    await until('the jobs that guard money have run again', async () => {
      const now = await runs('done')
      return now.every((count, index) => count > (before[index] ?? 0))
    })
    expect(await runs('failed')).toEqual(failedBefore)

    isOver = true
    const answers = await searches
    expect(answers.length).toBeGreaterThanOrEqual(SEARCHES)
    for (const { status, headers, body: refusal } of answers) {
      expect([status, refusal.code]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    const ended = answers.filter(({ body: { detail } }) => (detail as { limit?: string }).limit !== undefined)
    expect(ended.length).toBeGreaterThanOrEqual(PUBLIC_CONNECTIONS)
    expect(ended[0]?.body).toMatchObject({
      message: expect.stringContaining('longer than 1 s'),
      detail: { limit: 'statement_timeout', limitMs: 1_000 },
    })
    // Nothing of them is left in the database, though what they waited for is locked still.
    await until('the database has ended the last of them', async () => (await publicStatements()) === 0)
  } finally {
    isOver = true
    await locker.end()
  }
  expect((await get(gateway, '/forum/topics')).status).toBe(200)
})
