import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instruments } from '../../src/telemetry/instruments.ts'
import { readScrape, type Scrape, scrape } from '../kit/gateway/prometheus.ts'
import { chatBody, invokeStream, type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { get } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { arrive, invoke, mint, ownerWith, register } from '../kit/world/world.ts'

const TOKEN = 'what the scraper of these tests brings'
const PRICE = 20_000
const PRICE_USDC = '0.020000'
/** Form of names in the code. Label values that are not listed must have it. */
const NAME = /^[\w/:.-]{1,64}$/
/** Labels that would name services, calls, credentials, wallets or user text. */
const ONE_OF_MANY = /(svc|inv|cred|psec|dep|wd|whk|req|gw)_|0x|test-|127\.0\.0\.1|https?:/i

let on: LlmMarket
let upstream: TestProvider
let service: string
beforeAll(async () => {
  upstream = await startProvider()
  on = await openLlmMarket({ env: { METRICS_TOKEN: TOKEN, PLATFORM_FEE_BPS: '1000' } })
  service = await register(on, on.provider, { targets: [upstream.url], priceUsdc: PRICE_USDC })
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  await upstream.stop()
})

const look = () => scrape(on, TOKEN)
const call = (more: Record<string, unknown> = {}) =>
  invoke(on, on.credential, { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {} }, ...more })

/** Returns what some work has added to a counter or to the count of a histogram. */
async function added<Done>(work: () => Promise<Done>) {
  const before = await look()
  const done = await work()
  const after = await look()
  const by = (name: string, labels: Record<string, string> = {}) =>
    after.value(name, labels) - before.value(name, labels)
  return { done, by }
}

describe('counters count events', () => {
  test('successes, failures, refusals and replays of paid calls, and their money', async () => {
    const { by } = await added(async () => {
      for (const key of ['a', 'b', 'c']) expect((await call({ idempotencyKey: key })).status).toBe(200)
      expect((await call({ idempotencyKey: 'a' })).status).toBe(200)
      expect((await call({ costUsdc: '0.5' })).body.code).toBe('PRICE_MISMATCH')
      expect((await call({ serviceId: 'svc_none' })).body.code).toBe('SERVICE_NOT_FOUND')
      upstream.respondWith((_, response) => sendJson(response, 500, {}))
      expect((await call()).status).toBe(502)
      upstream.respondWith((_, response) => sendJson(response, 400, {}))
      expect((await call()).status).toBe(502)
      upstream.respondWith((_, response) => response.destroy())
      expect((await call()).status).toBe(502)
      upstream.respondWith((_, response) => sendJson(response, 200, {}))
    })
    const calls = (kind: string, outcome: string) => by('farebox_calls_total', { kind, outcome })
    expect(calls('fixed', 'succeeded')).toBe(3)
    expect(calls('fixed', 'replayed')).toBe(1)
    expect(calls('fixed', 'refused')).toBe(1)
    expect(calls('unknown', 'refused')).toBe(1)
    expect(calls('fixed', 'failed_retryable')).toBe(2)
    expect(calls('fixed', 'failed_final')).toBe(1)
    expect(by('farebox_calls_total')).toBe(9)
    expect(by('farebox_call_refusals_total', { code: 'PRICE_MISMATCH' })).toBe(1)
    expect(by('farebox_call_refusals_total')).toBe(2)
    expect(by('farebox_upstream_failures_total', { reason: 'status' })).toBe(2)
    expect(by('farebox_upstream_failures_total', { reason: 'reset' })).toBe(1)
    expect(by('farebox_settlements_total', { from: 'pending', status: 'succeeded' })).toBe(3)
    expect(by('farebox_settlements_total')).toBe(6)
    expect(by('farebox_charged_micro_usdc_total')).toBe(3 * PRICE)
    expect(by('farebox_fees_micro_usdc_total')).toBe(3 * PRICE * 0.1)
    expect(by('farebox_call_overhead_seconds_count', { kind: 'fixed' })).toBe(6)
    expect(by('farebox_provider_seconds_count', { kind: 'fixed' })).toBe(6)
    // Nine holds, and six settlements, one after the other; what is refused for what it is takes no batch.
    expect(by('farebox_batch_items_sum')).toBeGreaterThanOrEqual(15)
    expect(by('farebox_ledger_batches_total')).toBe(by('farebox_batch_items_count'))
  })

  test('requests by operation, and those of unknown paths', async () => {
    const { by } = await added(async () => {
      for (let asks = 0; asks < 4; asks += 1) await get(on, '/auth/me', { token: on.owner.token })
      await get(on, '/auth/me', {})
      for (const path of ['/nobody', '/serves', '/this']) await get(on, path, {})
      await call()
    })
    const me = { operation: operationAt('/api/v1/auth/me') }
    expect(by('farebox_http_requests_total', { ...me, status: '2xx' })).toBe(4)
    expect(by('farebox_http_requests_total', { ...me, status: '4xx' })).toBe(1)
    expect(by('farebox_http_request_seconds_count', me)).toBe(5)
    expect(by('farebox_http_requests_total', { operation: 'unmatched', status: '4xx' })).toBe(3)
    expect(by('farebox_http_requests_total', { operation: 'invokeService', status: '2xx' })).toBe(1)
  })

  test("the overhead, without the provider's time", async () => {
    const tookMs = 1_000
    upstream.respondWith((_, response) => setTimeout(() => sendJson(response, 200, {}), tookMs))
    const { by } = await added(async () => {
      const answers = await Promise.all([call(), call(), call()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    })
    upstream.respondWith((_, response) => sendJson(response, 200, {}))
    expect(by('farebox_provider_seconds_sum', { kind: 'fixed' })).toBeGreaterThanOrEqual((3 * tookMs) / 1_000)
    expect(by('farebox_call_overhead_seconds_sum', { kind: 'fixed' })).toBeLessThan((3 * tookMs) / 1_000)
    expect(by('farebox_call_overhead_seconds_sum', { kind: 'fixed' })).toBeGreaterThan(0)
  })

  test('streams, their first events, and missing usage', async () => {
    const stream = { serviceId: on.chat, payload: { body: chatBody({ stream: true }) } }
    const { by } = await added(async () => {
      expect((await invokeStream(on, on.credential, stream)).text).toContain('[DONE]')
      on.model.bend({ includeUsage: false })
      await invokeStream(on, on.credential, stream)
      on.model.bend({})
    })
    expect(by('farebox_stream_first_event_seconds_count')).toBe(2)
    expect(by('farebox_calls_total', { kind: 'metered', outcome: 'succeeded' })).toBe(1)
    expect(by('farebox_calls_total', { kind: 'metered', outcome: 'processing' })).toBe(1)
    expect(by('farebox_upstream_failures_total', { reason: 'usage_missing' })).toBe(1)
    expect(by('farebox_settlements_total', { from: 'pending', status: 'processing' })).toBe(1)
    expect((await look()).value('farebox_streams_open')).toBe(0)
  })

  test('a failover once, and a 429 for its operation', async () => {
    const dead = await startProvider()
    const twoFold = await register(on, on.provider, {
      targets: [dead.url, upstream.url],
      priceUsdc: PRICE_USDC,
      invoke: { method: 'GET' },
    })
    dead.respondWith((_, response) => sendJson(response, 503, {}))
    const slow = await mint(on, on.owner, { rpm: 1 })
    const { by, done } = await added(async () => {
      // Targets are drawn: until the dead one is first.
      for (let calls = 1; ; calls += 1) {
        expect((await call({ serviceId: twoFold })).status).toBe(200)
        if (dead.calls.length > 0) break
        if (calls === 50) throw new Error('The dead target was never drawn.')
      }
      await invoke(on, slow, { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {} } })
      return invoke(on, slow, { serviceId: service, costUsdc: PRICE_USDC, payload: { body: {} } })
    })
    await dead.stop()
    expect(done.status).toBe(429)
    expect(by('farebox_failovers_total')).toBe(1)
    expect(by('farebox_rate_limited_total', { operation: 'invokeService' })).toBe(1)
    expect(by('farebox_call_refusals_total', { code: 'RATE_LIMITED' })).toBe(1)
  })
})

describe('gauges show the current state', () => {
  test('the hold of a running call, and nothing after it', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    upstream.respondWith(async (_, response) => {
      await held
      sendJson(response, 200, {})
    })
    const running = call()
    const reported = async () => {
      const [row] = await on.sql<{ count: string; held: string }>(
        `select count(*) as count, coalesce(sum(hold), 0) as held
         from open_calls o join invocations i on i.id = o.invocation_id`,
      )
      const now = await look()
      const isSame =
        now.value('farebox_holds_open') === Number(row?.count) &&
        now.value('farebox_holds_open_micro_usdc') === Number(row?.held)
      return { isSame, count: Number(row?.count), inFlight: now.value('farebox_calls_under_way') }
    }
    let during = 0
    try {
      await until('the hold is counted', async () => {
        const { isSame, count, inFlight } = await reported()
        during = count
        return isSame && inFlight === 1
      })
    } finally {
      letGo()
    }
    expect((await running).status).toBe(200)
    upstream.respondWith((_, response) => sendJson(response, 200, {}))
    await until('the hold is gone', async () => {
      const { isSame, count, inFlight } = await reported()
      return isSame && count === during - 1 && inFlight === 0
    })
  })

  test('books, chain, probes, queue, jobs and the database are all exported', async () => {
    await until('every job has run', async () =>
      (await look()).has('farebox_job_done_timestamp_seconds', { name: 'reconcile' }),
    )
    await until('the follower is up to date', async () =>
      (await look()).has('farebox_follower_blocks_behind'),
    )
    const now = await look()
    expect(now.value('farebox_ledger_findings')).toBe(0)
    expect(now.value('farebox_ledger_consistent_age_seconds')).toBeLessThan(120)
    expect(now.value('farebox_follower_blocks_behind')).toBeLessThan(10)
    expect(now.value('farebox_vault_micro_usdc')).toBeGreaterThanOrEqual(now.value('farebox_owed_micro_usdc'))
    expect(now.has('farebox_probes_due')).toBe(true)
    expect(now.has('farebox_queue_jobs', { state: 'ready' })).toBe(true)
    expect(now.has('farebox_webhook_deliveries_pending')).toBe(true)
    expect(now.value('farebox_probes_total', { outcome: 'healthy' })).toBeGreaterThan(0)
    expect(now.value('farebox_database_connections', { pool: 'main' })).toBeGreaterThan(0)
    expect(now.value('farebox_job_runs_total', { name: 'follow-vault', outcome: 'done' })).toBeGreaterThan(0)
    for (const { labels, value } of now.series.filter(({ name }) => name === 'farebox_sample_up')) {
      expect([labels.sample, value]).toEqual([labels.sample, 1])
    }
  })
})

test('a running gateway exports every metric that a panel of deploy/grafana queries', async () => {
  const dashboard = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../deploy/grafana/farebox.json'), 'utf8'),
  ) as { readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[] }
  const asked = dashboard.panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:farebox|process|nodejs)_\w+/g) ?? []),
  )
  const { types } = await look()
  expect(asked.length).toBeGreaterThan(50)
  const exported = (name: string) => types.has(name) || types.has(name.replace(/_(?:bucket|sum|count)$/, ''))
  expect(asked.filter(name => !exported(name))).toEqual([])
})

test('labels are bounded: series do not grow with services, wallets, credentials or paths', async () => {
  const visit = async (round: string) => {
    const owner = await ownerWith(on, '1')
    const credential = await mint(on, owner, { maxCalls: 5 })
    const provider = await arrive(on)
    const name = `service-of-${round}`
    const id = await register(on, provider, {
      targets: [`${upstream.url}${round}`],
      priceUsdc: PRICE_USDC,
      manifest: { serviceName: name },
    })
    await invoke(on, credential, { serviceId: id, costUsdc: PRICE_USDC, payload: { body: {} } })
    await invoke(on, credential, { serviceId: `svc_${round}`, payload: { body: {} } })
    await get(on, `/services/${id}`, { token: provider.token })
    await get(on, `/nothing/${round}?q=${round}`, {})
    await fetch(`${on.url}/api/v1/auth/me`, { headers: { traceparent: round, 'x-request-id': round } })
    return look()
  }
  const ours = ({ series }: Scrape) => series.filter(({ name }) => name.startsWith('farebox_'))
  await visit('first')
  // Later results of probes and jobs add no series once every series of these requests exists.
  const keys = (now: Scrape) =>
    new Set(
      ours(now)
        .filter(({ name }) => !/_(probes|job|queue)_/.test(name))
        .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`),
    )
  const before = keys(await visit('second'))
  for (const round of ['third', 'fourth', 'fifth', 'sixth']) await visit(round)
  const last = await look()
  expect([...keys(last)].filter(key => !before.has(key))).toEqual([])

  for (const { name, labels } of ours(last)) {
    const metric = name in instruments ? name : name.replace(/_(?:bucket|sum|count)$/, '')
    const { labels: declared } = instruments[metric as keyof typeof instruments]
    for (const [label, value] of Object.entries(labels)) {
      if (label === 'le' && name.endsWith('_bucket')) continue
      const values = (declared as Record<string, readonly string[] | string>)[label]
      expect([name, label, values === undefined ? 'undeclared' : 'declared']).toEqual([
        name,
        label,
        'declared',
      ])
      if (values === 'endpoints') {
        expect(value).toBe(new URL(on.chain.rpcUrl).host)
        continue
      }
      if (Array.isArray(values)) expect(values).toContain(value)
      else expect(value).toMatch(NAME)
      expect(value).not.toMatch(ONE_OF_MANY)
    }
  }
})

test('the endpoint needs its token', async () => {
  const answer = await fetch(`${on.url}/metrics`)
  expect(answer.status).toBe(401)
  expect(
    readScrape(
      await (await fetch(`${on.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text(),
    ).has('farebox_calls_total'),
  ).toBe(true)
})

/** Name of a route: the id of its contract, else its pattern. */
function operationAt(url: string): string {
  const operation = on.gateway.operations.all.find(one => one.url === url)
  return operation?.contract.id ?? url
}
