import { createServer } from 'node:http'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, startPair } from '../../../test/kit/gateway/gateway-pair.ts'
import { post } from '../../../test/kit/network/http.ts'
import { type Listening, listen } from '../../../test/kit/network/loopback.ts'
import { until } from '../../../test/kit/until.ts'
import { PRICE_USDC } from '../../../test/kit/world/sold-service.ts'
import { arrive, type Person, register } from '../../../test/kit/world/world.ts'
import { pruneHistory } from './prune-history.ts'

const PER_MINUTE = 3

let pair: Pair
let host: Listening
let pings = 0
beforeAll(async () => {
  pair = await startPair({ PINGS_PER_MINUTE: String(PER_MINUTE), PROBE_INTERVAL_SECONDS: '3600' })
  host = await listen(
    createServer((request, response) => {
      if (request.headers['farebox-purpose'] === 'ping') pings += 1
      response.end()
    }),
  )
})
afterAll(async () => {
  await host.stop()
  await pair.stop()
})

const offer = (provider: Person, url: string) =>
  register(pair.one, provider, { targets: [url, `${url}more`], priceUsdc: PRICE_USDC })
const ping = (turn: number, provider: Person, service: string) =>
  post<{ detail: object }>(pair.gateway(turn), `/services/${service}/ping`, {
    token: provider.token,
    body: {},
  })

describe('pings', () => {
  test('are counted per service across gateways, and refused ones are not sent', async () => {
    const service = await offer(pair.provider, `${host.origin}/`)
    await pair.one.sql(`update ping_windows set rate_window = ''`)
    const answers = await Promise.all(
      Array.from({ length: 4 * PER_MINUTE }, (_, turn) => ping(turn, pair.provider, service)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(PER_MINUTE)
    expect(refused).toHaveLength(3 * PER_MINUTE)
    expect(pings).toBe(2 * PER_MINUTE)
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: 'RATE_LIMITED', detail: { perMinute: PER_MINUTE } })
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
  })

  test('are counted per target host, across owners', async () => {
    const stranger = await arrive(pair.one)
    const [there, elsewhere] = [
      await offer(stranger, `${host.origin}/`),
      await offer(stranger, pair.upstream.url),
    ]
    const refused = await ping(1, stranger, there)
    expect([refused.status, refused.body.detail]).toMatchObject([429, { limit: 'pings_per_host' }])
    expect((await ping(1, stranger, elsewhere)).status).toBe(200)
  })

  test('limit the requests of registrations and changes too, which beyond them wait for the schedule', async () => {
    let requests = 0
    const server = await listen(
      createServer((_, response) => {
        requests += 1
        response.end()
      }),
    )
    const provider = await arrive(pair.one)
    const service = await offer(provider, `${server.origin}/`)
    const targets = [1, 2].map(number => ({ url: `${server.origin}/${number}` }))
    const another = { serviceName: 'Another', invoke: { method: 'POST', targets } }
    const send = async (turn: number, path: string, method: 'POST' | 'PUT', body: object) => {
      const sent = await fetch(`${pair.gateway(turn).url}/api/v1/services${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${provider.token}` },
        body: JSON.stringify(body),
      })
      expect(sent.status).toBe(200)
      return ((await sent.json()) as { service: { health: { lastCheckedAt: string | null } } }).service.health
    }
    for (let turn = 0; turn < 4 * PER_MINUTE; turn += 1) {
      await send(turn, `/${service}`, 'PUT', { invoke: another.invoke })
      await send(turn, `/${service}`, 'PUT', { healthCheck: null })
      await send(turn, `/${service}`, 'PUT', { isActive: false })
      await send(turn, `/${service}`, 'PUT', { isActive: true })
      await send(turn, '', 'POST', { ...another, isActive: false })
    }
    // A proof and two probes each; beyond them each gateway needs the proof once.
    expect(requests).toBeLessThanOrEqual(3 * PER_MINUTE + 2)
    const due = await pair.one.sql(
      `select 1 from service_targets where service_id = $1 and next_probe_at < now() + interval '1 minute'`,
      [service],
    )
    expect(due).toEqual([])
    // A new service does not wait for its answer, but for the next turn of the schedule.
    const before = requests
    expect((await send(0, '', 'POST', another)).lastCheckedAt).toBeNull()
    await until('the new service is probed', () => requests === before + targets.length)
    await server.stop()
  })

  test('expire after a minute, and a refused one is not counted', async () => {
    const { db } = pair.one.gateway.deps
    const stranger = await arrive(pair.one)
    const service = await offer(stranger, `${host.origin}/`)
    expect((await ping(0, stranger, service)).status).toBe(429)
    const keys = async () =>
      (await db.query<{ key: string }>(sql`select key from ping_windows`)).map(row => row.key)
    expect(await keys()).not.toContain(`service ${service}`)
    await pair.one.sql(`update ping_windows set rate_window = '', used_at = now() - interval '3 minutes'`)
    expect((await ping(0, stranger, service)).status).toBe(200)
    await pruneHistory(pair.one.gateway.deps, new AbortController().signal)
    expect((await keys()).sort()).toEqual([`host ${new URL(host.origin).host}`, `service ${service}`])
  })
})
