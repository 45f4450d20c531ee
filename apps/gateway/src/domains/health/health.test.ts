import type { HealthHistory } from '@farebox/wire/health'
import type { ServiceRecord } from '@farebox/wire/services'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Provider, startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../test/kit/network/http.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'
import { probeService } from './probe-service.ts'
import { pruneHistory } from './prune-history.ts'

const HOUR_MS = 3_600_000

let on: Awaited<ReturnType<typeof startServiceGateway>>
let alice: Provider
let bob: Provider
const targets: TestTarget[] = []

beforeAll(async () => {
  on = await startServiceGateway()
  alice = await on.provider()
  bob = await on.provider()
})
afterEach(async () => {
  for (const target of targets.splice(0)) await target.stop()
})
afterAll(() => on.stop())

const start = async (): Promise<TestTarget> => {
  const target = await startTarget()
  targets.push(target)
  return target
}
const ping = async (service: { serviceId: string }) => {
  const { body } = await alice.ask('POST', `/services/${service.serviceId}/ping`)
  return body as unknown as { targets: Record<string, unknown>[]; service: ServiceRecord; status: string }
}
const isDiscovered = async ({ serviceId }: { serviceId: string }) =>
  JSON.stringify((await on.ask('GET', '/services/discover?limit=100')).body).includes(serviceId)
const historyOf = async (service: { serviceId: string }, query = '') =>
  (await alice.ask('GET', `/services/${service.serviceId}/health/history${query}`))
    .body as unknown as HealthHistory

describe('the default probe', () => {
  test('is a GET on the target itself that identifies the gateway', async () => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    expect(target.requests).toEqual([
      {
        method: 'GET',
        url: '/call',
        headers: expect.objectContaining({
          'user-agent': 'Farebox-Probe',
          'farebox-service-id': service.serviceId,
          'accept-encoding': 'identity',
        }),
      },
    ])
  })

  test.each([200, 204, 301, 302, 400, 401, 404, 405, 429, 499])(
    'counts a %i answer as healthy',
    async status => {
      const target = await start()
      target.answer(status)
      expect(await alice.register(manifestOf(target.url))).toMatchObject({ runtimeAvailable: true })
    },
  )

  test.each([500, 502, 503, 504])('counts a %i answer as unhealthy', async status => {
    const target = await start()
    target.answer(status)
    expect(await alice.register(manifestOf(target.url))).toMatchObject({
      runtimeAvailable: false,
      health: { overallStatus: 'unhealthy' },
    })
  })

  test('follows no redirect', async () => {
    const [target, elsewhere] = [await start(), await start()]
    target.answer((_, response) => response.writeHead(302, { location: elsewhere.url }).end())
    await alice.register(manifestOf(target.url))
    expect(elsewhere.requests).toEqual([])
  })

  test('uses the status of an answer that is too large or encoded', async () => {
    const [large, encoded] = [await start(), await start()]
    large.answer((_, response) => response.end('x'.repeat(1_000_000)))
    encoded.answer((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'))
    for (const target of [large, encoded]) {
      expect(await alice.register(manifestOf(target.url))).toMatchObject({ runtimeAvailable: true })
    }
  })

  test('retries once when the connection broke, since it may have been stale', async () => {
    const target = await start()
    target.answer((request, response) => {
      if (target.requests.length === 1) request.socket.destroy()
      else response.end()
    })
    expect(await alice.register(manifestOf(target.url))).toMatchObject({ runtimeAvailable: true })
    expect(target.requests).toHaveLength(2)
  })
})

describe('healthCheck', () => {
  test('has its own path at the origin of each target, its method and its codes', async () => {
    const target = await start()
    target.answer((request, response) =>
      response.writeHead(request.url === '/health?deep=1' ? 503 : 200).end(),
    )
    const healthCheck = { path: '/health?deep=1', method: 'head', successCodes: [503] }
    const service = await alice.register(
      manifestOf(target.url, {
        healthCheck,
        invoke: { targets: [{ url: `${target.origin}/deep/inside?x=1` }] },
      }),
    )
    expect(target.requests).toMatchObject([{ method: 'HEAD', url: '/health?deep=1' }])
    expect(service.runtimeAvailable).toBe(true)
  })

  test('has its own timeout', async () => {
    const target = await start()
    target.answer(() => undefined)
    const startedAt = performance.now()
    const service = await alice.register(manifestOf(target.url, { healthCheck: { timeoutMs: 100 } }))
    // The default timeout is five seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(service).toMatchObject({ runtimeAvailable: false, health: { overallStatus: 'unhealthy' } })
  })

  test('has its own thresholds of consecutive results', async () => {
    const target = await start()
    const service = await alice.register(
      manifestOf(target.url, { healthCheck: { healthyThreshold: 2, unhealthyThreshold: 3 } }),
    )
    const follow = async (status: number, times: number) => {
      target.answer(status)
      const seen: boolean[] = []
      for (let count = 0; count < times; count += 1) seen.push((await ping(service)).service.runtimeAvailable)
      return seen
    }
    expect(await follow(500, 2)).toEqual([true, true])
    expect(await follow(200, 1)).toEqual([true])
    expect(await follow(500, 3)).toEqual([true, true, false])
    expect(await follow(200, 2)).toEqual([false, true])
  })

  test('a PUT that changes it probes the targets by the new rules at once', async () => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    const { body } = await alice.ask('PUT', `/services/${service.serviceId}`, {
      healthCheck: { successCodes: [204] },
    })
    expect(body.service).toMatchObject({ runtimeAvailable: false })
  })
})

describe('POST /services/:id/ping', () => {
  test("probes now, returns the results, and changes the service's health", async () => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    expect(await ping(service)).toMatchObject({
      status: 'success',
      serviceId: service.serviceId,
      runtimeAvailable: true,
      targets: [
        {
          url: target.url,
          status: 'healthy',
          latencyMs: expect.any(Number),
          httpStatus: 200,
          reason: null,
          checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      ],
      health: { overallStatus: 'healthy', lastCheckedAt: expect.any(Number) },
    })
    expect(await isDiscovered(service)).toBe(true)
    await target.stop()
    expect(await ping(service)).toMatchObject({
      runtimeAvailable: false,
      health: { overallStatus: 'unhealthy' },
      targets: [{ status: 'unhealthy', httpStatus: null, reason: 'connect' }],
    })
    expect(await isDiscovered(service)).toBe(false)
    expect((await on.directory.find(service.serviceId))?.targets).toMatchObject([{ isHealthy: false }])
  })

  test('a service with one of two targets down is degraded and still found', async () => {
    const [up, down] = [await start(), await start()]
    down.answer(500)
    const service = await alice.register(
      manifestOf(up.url, { invoke: { targets: [{ url: up.url }, { url: down.url }] } }),
    )
    expect(service).toMatchObject({
      runtimeAvailable: true,
      health: { overallStatus: 'degraded', healthyTargets: 1, totalTargets: 2 },
    })
    expect(await isDiscovered(service)).toBe(true)
  })

  test('SERVICE_NOT_FOUND for the service of another; 401 without a session; no probe is sent', async () => {
    const target = await start()
    const { serviceId } = await alice.register(manifestOf(target.url))
    const before = target.requests.length
    expect(await bob.ask('POST', `/services/${serviceId}/ping`)).toMatchObject(
      refusal('SERVICE_NOT_FOUND', 404),
    )
    expect(await on.ask('POST', `/services/${serviceId}/ping`)).toMatchObject(refusal('UNAUTHORIZED', 401))
    expect(target.requests).toHaveLength(before)
  })
})

describe('GET /services/:id/health/history', () => {
  test('returns each probe of each target, newest first', async () => {
    const [one, two] = [await start(), await start()]
    const service = await alice.register(
      manifestOf(one.url, { invoke: { targets: [{ url: one.url }, { url: two.url }] } }),
    )
    two.answer(500)
    await ping(service)
    const history = await historyOf(service)
    expect(history).toEqual({
      status: 'success',
      serviceId: service.serviceId,
      history: expect.arrayContaining(
        history.targets.flatMap(({ url, history: probes }) => probes.map(probe => ({ url, ...probe }))),
      ),
      targets: [
        {
          url: one.url,
          history: [
            expect.objectContaining({ status: 'healthy' }),
            expect.objectContaining({ status: 'healthy' }),
          ],
        },
        {
          url: two.url,
          history: [
            expect.objectContaining({ status: 'unhealthy' }),
            expect.objectContaining({ status: 'healthy' }),
          ],
        },
      ],
    })
    expect(history.history).toHaveLength(4)
    for (const { history: probes } of [...history.targets, history]) {
      for (const { latencyMs, checkedAt } of probes) {
        expect(Number.isInteger(latencyMs)).toBe(true)
        expect(new Date(checkedAt).toISOString()).toBe(checkedAt)
      }
      expect(probes.map(({ checkedAt }) => checkedAt)).toEqual(
        probes
          .map(({ checkedAt }) => checkedAt)
          .sort()
          .reverse(),
      )
    }
  })

  test.each([
    ['limitPerTarget=2', 2],
    ['limitPerTarget=-1', 1],
    ['limitPerTarget=0', 1],
    ['limitPerTarget=1000000000', 500],
    ['', 100],
    ['hours=1', 1],
    ['hours=-5', 1],
    ['hours=1000000000&limitPerTarget=500', 168],
    ['limitPerTarget=500', 24],
  ])('clamps its parameters (%j gives %i)', async (query, count) => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    await on.deps.db.query(sql`delete from health_probes where service_id = ${service.serviceId}`)
    const perHour = query === 'limitPerTarget=1000000000' || query === '' ? 40 : 1
    const now = new Date(on.deps.clock.now() + 5_000)
    await on.deps.db.query(sql`
      insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at)
      select ${service.serviceId}, ${target.url}, true, 1, ${now}::timestamptz - n * interval '1 hour' / ${perHour}::int
      from generate_series(0, 700) as n`)
    const [first] = (await historyOf(service, `?${query}`)).targets
    const slack = query.startsWith('limit') && query !== 'limitPerTarget=500' ? 0 : 1
    expect(Math.abs((first?.history.length ?? 0) - count)).toBeLessThanOrEqual(slack)
  })

  test('returns every record of the requested hours, up to 24, after old ones are deleted', async () => {
    const target = await start()
    const { serviceId } = await alice.register(manifestOf(target.url))
    await on.deps.db.query(sql`delete from health_probes where service_id = ${serviceId}`)
    // One in five minutes for two days, of which one in ten minutes is a landmark.
    const now = new Date(on.deps.clock.now())
    await on.deps.db.query(sql`
      insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at, is_landmark)
      select ${serviceId}, ${target.url}, true, 1, ${now}::timestamptz - n * interval '5 minutes' + interval '30 seconds',
        n % 2 = 0
      from generate_series(1, 576) as n`)
    await pruneHistory(on.deps, new AbortController().signal)
    const count = async (hours: number) =>
      (await historyOf({ serviceId }, `?limitPerTarget=500&hours=${hours}`)).targets[0]?.history.length
    expect([await count(1), await count(6), await count(24), await count(48)]).toEqual([
      12,
      6 * 12,
      24 * 12,
      24 * 12 + 24 * 6,
    ])
  })

  test.each(['limitPerTarget=abc', 'hours=1e9', 'hours=1.5'])('INVALID_REQUEST for %s', async query => {
    const { serviceId } = await alice.register(manifestOf('http://127.0.0.1:1/'))
    expect(await alice.ask('GET', `/services/${serviceId}/health/history?${query}`)).toMatchObject(
      refusal('INVALID_REQUEST', 400),
    )
  })

  test("SERVICE_NOT_FOUND for another owner's service and for an unknown one", async () => {
    const { serviceId } = await alice.register(manifestOf('http://127.0.0.1:1/'))
    for (const id of [serviceId, 'svc_nowhere']) {
      const answer = await bob.ask('GET', `/services/${id}/health/history`)
      expect(answer).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    }
  })

  test("reaches no further back than requested, by the gateway's clock", async () => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    on.advance(2 * HOUR_MS)
    expect((await historyOf(service, '?hours=1')).targets).toEqual([{ url: target.url, history: [] }])
    expect((await historyOf(service, '?hours=3')).targets[0]?.history).toHaveLength(1)
  })
})

describe('a probe that ends after things have changed', () => {
  test('of a removed target leaves no trace', async () => {
    const [old, target] = [await start(), await start()]
    const service = await alice.register(manifestOf(old.url))
    const answering = Promise.withResolvers<void>()
    const asked = new Promise<void>(done => {
      old.answer(async (_, response) => {
        done()
        await answering.promise
        response.end()
      })
    })
    const probing = probeService(on.deps, service.serviceId)
    await asked
    await alice.ask('PUT', `/services/${service.serviceId}`, { invoke: { targets: [{ url: target.url }] } })
    answering.resolve()
    await probing
    const { targets: reported } = await historyOf(service)
    expect(reported).toMatchObject([{ url: target.url, history: [{ status: 'healthy' }] }])
    const rows = await on.deps.db.query(
      sql`select url from service_targets where service_id = ${service.serviceId}`,
    )
    expect(rows).toEqual([{ url: target.url }])
  })

  test('probes no service that is deleted, suspended or unknown', async () => {
    const target = await start()
    const service = await alice.register(manifestOf(target.url))
    await on.deps.db.query(sql`update services set suspended_at = now() where id = ${service.serviceId}`)
    expect(await probeService(on.deps, service.serviceId)).toEqual([])
    expect(await probeService(on.deps, 'svc_nowhere')).toEqual([])
  })
})
