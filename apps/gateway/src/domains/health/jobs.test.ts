import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Provider, startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { until } from '../../../test/kit/until.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'
import { startJobs } from '../../runtime/jobs.ts'
import { healthJobs } from './jobs.ts'
import { probeDue } from './probe-due.ts'
import { pruneHistory } from './prune-history.ts'

const DAY_MS = 86_400_000

let on: Awaited<ReturnType<typeof startServiceGateway>>
let alice: Provider
let target: TestTarget
const running = new AbortController().signal

beforeAll(async () => {
  on = await startServiceGateway({ env: { PROBE_INTERVAL_SECONDS: '3600' } })
})
afterAll(() => on.stop())
beforeEach(async () => {
  // No target of a previous test is due.
  await on.deps.db.query(sql`update service_targets set next_probe_at = 'infinity'`)
  alice = await on.provider()
  target = await startTarget()
})
afterEach(() => target.stop())

/** Condition of services and their targets: they are those of the provider of this test. */
const own = () => sql`service_id in (select id from services where owner = ${alice.wallet})`
const makeDue = () =>
  on.deps.db.query(
    sql`update service_targets set next_probe_at = now() where next_probe_at <> 'infinity' and ${own()}`,
  )
const probesOf = async ({ serviceId }: { serviceId: string }) => {
  const [row] = await on.deps.db.query<{ count: bigint }>(
    sql`select count(*) as count from health_probes where service_id = ${serviceId}`,
  )
  return Number(row?.count)
}

describe('the prober', () => {
  test('probes due targets once, and no others', async () => {
    const service = await alice.register(manifestOf(target.url))
    await probeDue(on.deps, running)
    expect(await probesOf(service)).toBe(1)
    await makeDue()
    await probeDue(on.deps, running)
    await probeDue(on.deps, running)
    expect(await probesOf(service)).toBe(2)
  })

  test('schedules the next probe one interval later, with 10% jitter', async () => {
    for (let count = 0; count < 10; count += 1) await alice.register(manifestOf(target.url))
    await makeDue()
    await on.deps.db.query(sql`update services set suspended_at = now() where owner = ${alice.wallet}`)
    await probeDue(on.deps, running)
    const rows = await on.deps.db.query<{ seconds: number }>(
      sql`select extract(epoch from next_probe_at - now())::float8 as seconds from service_targets where ${own()}`,
    )
    expect(rows).toHaveLength(10)
    for (const { seconds } of rows) {
      expect(seconds).toBeGreaterThan(3_600 * 0.9 - 30)
      expect(seconds).toBeLessThan(3_600 * 1.1)
    }
    expect(new Set(rows.map(({ seconds }) => Math.round(seconds))).size).toBeGreaterThan(3)
  })

  test('probes a target again whose probe was scheduled before the clock of the database was set back', async () => {
    const service = await alice.register(manifestOf(target.url))
    await on.deps.db.query(
      sql`update service_targets set next_probe_at = next_probe_at + interval '5 hours' where ${own()}`,
    )
    await probeDue(on.deps, running)
    expect(await probesOf(service)).toBe(2)
  })

  test('probes each target from one of several gateways', async () => {
    const services = []
    for (let count = 0; count < 20; count += 1) services.push(await alice.register(manifestOf(target.url)))
    await makeDue()
    await Promise.all(Array.from({ length: 4 }, () => probeDue(on.deps, running)))
    for (const service of services) expect(await probesOf(service)).toBe(2)
  })

  test('skips services that cannot be called', async () => {
    const [off, gone, suspended] = [
      await alice.register(manifestOf(target.url)),
      await alice.register(manifestOf(target.url)),
      await alice.register(manifestOf(target.url)),
    ]
    for (const { serviceId } of [off, gone])
      await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    await alice.ask('DELETE', `/services/${gone.serviceId}`)
    await on.deps.db.query(sql`update services set suspended_at = now() where id = ${suspended.serviceId}`)
    const before = target.requests.length
    await makeDue()
    await probeDue(on.deps, running)
    expect(target.requests).toHaveLength(before)
    const never = await on.deps.db.query(
      sql`select 1 from service_targets where next_probe_at = 'infinity' and ${own()}`,
    )
    expect(never).toHaveLength(2)
    await alice.ask('PUT', `/services/${off.serviceId}`, { isActive: true })
    await makeDue()
    await probeDue(on.deps, running)
    expect(await probesOf(off)).toBe(3)
  })

  test('is not held up by a target that hangs', async () => {
    const slow = await startTarget()
    const hanging = await alice.register(manifestOf(slow.url, { healthCheck: { timeoutMs: 1_000 } }))
    const service = await alice.register(manifestOf(target.url))
    slow.answer(() => undefined)
    await makeDue()
    const probing = probeDue(on.deps, running)
    await until('the healthy one is probed', async () => (await probesOf(service)) === 2)
    await makeDue()
    await until('it is probed again', async () => (await probesOf(service)) === 3)
    await probing
    expect(await probesOf(hanging)).toBeGreaterThanOrEqual(2)
    await slow.stop()
  })

  test('stops with the gateway', async () => {
    const slow = await startTarget()
    await alice.register(manifestOf(slow.url, { healthCheck: { timeoutMs: 3_000 } }))
    slow.answer(() => undefined)
    await makeDue()
    const stopping = new AbortController()
    const probing = probeDue(on.deps, stopping.signal)
    stopping.abort()
    const startedAt = performance.now()
    await probing
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    await slow.stop()
  })

  test('probes no address that is private now, though it was public at registration', async () => {
    const meanings = [['8.8.8.8'], ['127.0.0.1']]
    const guarded = await startServiceGateway({
      env: { ALLOW_PRIVATE_TARGETS: 'false' },
      lookup: (_, answer) =>
        answer(
          null,
          (meanings.shift() ?? ['127.0.0.1']).map(address => ({ address, family: 4 })),
        ),
    })
    const provider = await guarded.provider()
    const service = await provider.register(manifestOf(target.url.replace('127.0.0.1', 'rebinding.test')))
    expect(service).toMatchObject({ runtimeAvailable: false, health: { overallStatus: 'unhealthy' } })
    const { body } = await provider.ask('POST', `/services/${service.serviceId}/ping`)
    expect(body.targets).toMatchObject([{ status: 'unhealthy', reason: 'blocked_address' }])
    expect(target.requests).toEqual([])
    const direct = await provider.ask('POST', '/services', manifestOf(target.url))
    expect(direct).toMatchObject({
      status: 400,
      body: { code: 'UNSAFE_TARGET_URL', detail: { reason: 'blocked_address' } },
    })
    await guarded.stop()
  })
})

describe('the jobs', () => {
  test('make a service unavailable when its target fails and available when it recovers', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const quick = { ...on.deps, config: { ...on.deps.config, PROBE_INTERVAL_SECONDS: 0.1 } }
    await makeDue()
    const jobs = startJobs(quick, healthJobs(quick))
    const isFound = async () => (await on.discovered()).includes(serviceId)
    expect(await isFound()).toBe(true)
    target.answer(503)
    await until('the service is not found', async () => !(await isFound()))
    target.answer(200)
    await until('the service is found again', isFound)
    await jobs.stop()
  })

  test('forget probes after seven days, in bounded steps', async () => {
    await on.deps.db.query(sql`delete from health_probes`)
    const service = await alice.register(manifestOf(target.url))
    await on.deps.db.query(sql`
      insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at)
      select ${service.serviceId}, ${target.url}, true, 1, now() - interval '8 days' from generate_series(1, 12000)`)
    expect(await pruneHistory(on.deps, running)).toBe(12_000)
    expect(await probesOf(service)).toBe(1)
    on.advance(7 * DAY_MS + 60_000)
    expect(await pruneHistory(on.deps, running)).toBe(1)
  })
})
