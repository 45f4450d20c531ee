import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Provider, startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'
import { markHealth, type ProbeResult } from '../services/targets/mark-health.ts'
import { keepFindings } from './keep-findings.ts'
import { probeDue } from './probe-due.ts'
import { pruneHistory } from './prune-history.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000
const INTERVAL_SECONDS = 4

let on: Awaited<ReturnType<typeof startServiceGateway>>
let alice: Provider
let target: TestTarget
const running = new AbortController().signal

beforeAll(async () => {
  on = await startServiceGateway({ env: { PROBE_INTERVAL_SECONDS: String(INTERVAL_SECONDS) } })
})
afterAll(() => on.stop())
beforeEach(async () => {
  await on.deps.db.query(sql`update service_targets set next_probe_at = 'infinity'`)
  alice = await on.provider()
  target = await startTarget()
})
afterEach(() => target.stop())

const makeDue = (owner: Provider) =>
  on.deps.db.query(sql`
    update service_targets set next_probe_at = now()
    where service_id in (select id from services where owner = ${owner.wallet})`)
const isHealthy = async ({ serviceId }: { serviceId: string }) => {
  const rows = await on.deps.db.query<{ isHealthy: boolean }>(
    sql`select is_healthy from service_targets where service_id = ${serviceId}`,
  )
  return rows.map(row => row.isHealthy)
}
/** Inserts services of an owner by SQL, all healthy and due. */
const crowd = async (owner: Provider, count: number, urlOf: (index: number) => string) => {
  const ids = Array.from({ length: count }, () => on.deps.ids.next('svc'))
  await on.deps.db.query(sql`
    insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
      price_model, price, method, timeout_ms, request, response)
    select id, ${owner.wallet}, lower(replace(id, 'svc_', 't-')), 'Crowd', '', '', '{}', 'api', 'fixed', 0, 'POST', 1000, '{}', '{}'
    from unnest(${ids}::text[]) as n (id)`)
  await on.deps.db.query(sql`
    insert into service_targets (service_id, url, position, weight, is_healthy, last_probed_at)
    select id, url, 1, 1, true, now()
    from unnest(${ids}::text[], ${ids.map((_, index) => urlOf(index))}::text[]) as n (id, url)`)
  return ids
}
/** Answers slowly, and counts concurrent requests. */
const countAtOnce = (targets: readonly TestTarget[], ms: number) => {
  const seen = { now: 0, most: 0 }
  for (const each of targets) {
    each.answer((_, response) => {
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      setTimeout(() => {
        seen.now -= 1
        response.end()
      }, ms)
    })
  }
  return seen
}

describe('a healthy target that fails', () => {
  test('once is probed again shortly after, and stays healthy', async () => {
    const service = await alice.register(manifestOf(target.url))
    const at: number[] = []
    target.answer((_, response) => {
      at.push(performance.now())
      response.writeHead(at.length === 1 ? 503 : 200).end()
    })
    await makeDue(alice)
    await probeDue(on.deps, running)
    expect(await isHealthy(service)).toEqual([true])
    expect(at).toHaveLength(2)
    const pause = (at[1] ?? 0) - (at[0] ?? 0)
    expect(pause).toBeGreaterThan(INTERVAL_SECONDS * 1_000 * 0.05 - 20)
    const { body } = await alice.ask('GET', `/services/${service.serviceId}/health/history`)
    expect(JSON.stringify(body)).not.toContain('unhealthy')
  })

  test('twice is unhealthy; an unhealthy one is probed once', async () => {
    const service = await alice.register(manifestOf(target.url))
    target.answer(503)
    const before = target.requests.length
    await makeDue(alice)
    await probeDue(on.deps, running)
    expect([await isHealthy(service), target.requests.length - before]).toEqual([[false], 2])
    await makeDue(alice)
    await probeDue(on.deps, running)
    expect(target.requests.length - before).toBe(3)
  })
})

describe('bounds', () => {
  test('one host gets at most sixteen probes at once, however many services it has, each in turn', async () => {
    const owners = [alice, await on.provider(), await on.provider()]
    const seen = countAtOnce([target], 30)
    for (const [turn, owner] of owners.entries()) {
      await crowd(owner, 20, index => `${target.origin}/${turn}/${index}`)
      await makeDue(owner)
    }
    await probeDue(on.deps, running)
    expect(seen.most).toBeLessThanOrEqual(16)
    expect(seen.most).toBeGreaterThan(8)
    expect(new Set(target.requests.map(({ url }) => url)).size).toBe(60)
  })

  test('targets of one provider get at most thirty-two probes at once, on any number of hosts', async () => {
    const hosts = [target, await startTarget(), await startTarget(), await startTarget()]
    const seen = countAtOnce(hosts, 50)
    await crowd(alice, 80, index => `${hosts[index % hosts.length]?.origin}/${index}`)
    await makeDue(alice)
    await probeDue(on.deps, running)
    expect(seen.most).toBeLessThanOrEqual(32)
    expect(seen.most).toBeGreaterThan(16)
    for (const host of hosts.slice(1)) await host.stop()
  })

  test('a backlog is probed at twice the normal rate, and written in batches', async () => {
    // Only the first request to each counts, as on a slow machine the first targets are due again before the last one
    // is probed.
    const firsts = new Map<string | undefined, number>()
    target.answer(({ url }, response) => {
      if (!firsts.has(url)) firsts.set(url, performance.now())
      response.end()
    })
    const count = 600
    const ids = await crowd(alice, count, index => `${target.origin}/${index}`)
    await makeDue(alice)
    await probeDue(on.deps, running)
    const at = [...firsts.values()]
    expect(at).toHaveLength(count)
    const perSecond = (2 * count) / INTERVAL_SECONDS
    const first = at[0] ?? 0
    // One second's worth immediately, the rest at the given rate.
    expect(at.filter(time => time - first < 500).length).toBeLessThanOrEqual(perSecond * 1.5 + 20)
    expect((at.at(-1) ?? 0) - first).toBeGreaterThan(600)
    const [written] = await on.deps.db.query<{ probes: bigint; transactions: bigint }>(sql`
      select count(*) as probes, count(distinct xmin::text) as transactions from health_probes
      where service_id = any(${ids}::text[])`)
    expect(Number(written?.probes)).toBeGreaterThanOrEqual(count)
    expect(Number(written?.transactions)).toBeLessThan(Number(written?.probes) / 10)
  })

  test('services that are registered together drift apart', async () => {
    for (let made = 0; made < 12; made += 1) await alice.register(manifestOf(target.url))
    const rows = await on.deps.db.query<{ seconds: number }>(sql`
      select extract(epoch from t.next_probe_at - t.last_probed_at)::float8 as seconds
      from service_targets t join services s on s.id = t.service_id where s.owner = ${alice.wallet}`)
    for (const { seconds } of rows) {
      expect(seconds).toBeGreaterThan(INTERVAL_SECONDS * 0.5 - 0.1)
      expect(seconds).toBeLessThan(INTERVAL_SECONDS * 1.5 + 2)
    }
    const spread = rows.map(row => row.seconds).sort((a, b) => a - b)
    expect((spread.at(-1) ?? 0) - (spread[0] ?? 0)).toBeGreaterThan(INTERVAL_SECONDS / 4)
  })
})

describe('retention', () => {
  const find = async (serviceId: string, isSuccess: boolean) => {
    const checkedAt = new Date(on.deps.clock.now())
    const finding = { url: target.url, isHealthy: isSuccess, latencyMs: 1, httpStatus: 200, reason: null }
    await keepFindings(on.deps, [{ ...finding, serviceId, checkedAt, nextInSeconds: null }], {
      isPatient: true,
    })
  }
  const kept = ({ serviceId }: { serviceId: string }) =>
    on.deps.db.query<{ isHealthy: boolean }>(
      sql`select is_healthy from health_probes where service_id = ${serviceId} order by checked_at`,
    )

  test('keeps every probe for 24 hours, then changes and one per ten minutes, up to seven days', async () => {
    const service = await alice.register(manifestOf(target.url))
    for (let minute = 1; minute <= 25; minute += 1) {
      on.advance(MINUTE_MS)
      await find(service.serviceId, minute !== 5)
    }
    expect(await kept(service)).toHaveLength(26)
    on.advance(23 * HOUR_MS)
    await pruneHistory(on.deps, running)
    expect(await kept(service)).toHaveLength(26)
    on.advance(HOUR_MS + MINUTE_MS)
    await pruneHistory(on.deps, running)
    // The first, the failure, its end, and the tenth and twentieth minute after that.
    expect((await kept(service)).map(row => row.isHealthy)).toEqual([true, false, true, true])
    on.advance(6 * DAY_MS - 30 * MINUTE_MS)
    await pruneHistory(on.deps, running)
    expect(await kept(service)).toHaveLength(4)
    on.advance(HOUR_MS)
    await pruneHistory(on.deps, running)
    expect(await kept(service)).toEqual([])
  })
})

describe('the health of a service', () => {
  test('changes once, however many of its targets change at the same time', async () => {
    const urls = Array.from({ length: 4 }, (_, index) => ({ url: `${target.origin}/${index}` }))
    const { serviceId } = await alice.register(manifestOf(target.url, { invoke: { targets: urls } }))
    const mark = (url: string, isSuccess: boolean) => {
      const probe: ProbeResult = {
        serviceId,
        url,
        isSuccess,
        latencyMs: 1,
        nextInSeconds: null,
        checkedAt: new Date(on.deps.clock.now()),
      }
      return on.deps.db.transaction(tx => markHealth(tx, [probe], { isPatient: true }))
    }
    for (const isSuccess of [false, true, false, true, false, true]) {
      const results = await Promise.all(urls.map(({ url }) => mark(url, isSuccess)))
      const turned = results.flatMap(result => result.turned)
      expect(turned).toMatchObject([{ serviceId, owner: alice.wallet, isUp: isSuccess, totalTargets: 4 }])
    }
  })

  test('is recorded as up at registration', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    const [standing] = await on.deps.db.query(
      sql`select is_up from service_standings where service_id = ${serviceId}`,
    )
    expect(standing).toEqual({ isUp: true })
  })
})

test('a target that its owner is changing delays no other; its result is written afterwards', async () => {
  const services = [
    await alice.register(manifestOf(target.url)),
    await alice.register(manifestOf(target.url)),
  ]
  const [first, second] = services
  if (first === undefined || second === undefined) throw new Error('Nothing was registered.')
  const probes = async ({ serviceId }: { serviceId: string }) =>
    (await on.deps.db.query(sql`select 1 from health_probes where service_id = ${serviceId}`)).length
  await makeDue(alice)
  const probing = on.deps.db.transaction(async tx => {
    const due = probeDue(on.deps, running)
    // Claims skip locked rows, so the lock is taken while the probes are in flight.
    target.answer(async (_, response) => {
      await tx.query(sql`select 1 from service_targets where service_id = ${first.serviceId} for update`)
      response.end()
    })
    for (let look = 0; look < 500 && (await probes(second)) < 2; look += 1) await on.deps.clock.pause(10)
    expect([await probes(first), await probes(second)]).toEqual([1, 2])
    return { due }
  })
  await (await probing).due
  expect(await probes(first)).toBe(2)
})

test('POST /services/:id/ping: SERVICE_ALREADY_DELETED, and RATE_LIMITED past sixty in a minute', async () => {
  const service = await alice.register(manifestOf(target.url))
  const path = `/services/${service.serviceId}`
  await alice.ask('PUT', path, { isActive: false })
  await alice.ask('DELETE', path)
  const before = target.requests.length
  const begun = performance.now()
  const answers = await Promise.all(Array.from({ length: 90 }, () => alice.ask('POST', `${path}/ping`)))
  // One more is admitted each second.
  const admittedMax = 60 + Math.ceil((performance.now() - begun) / 1_000)
  const codes = Map.groupBy(answers, ({ body }) => body.code)
  const statuses = (code: string) => (codes.get(code) ?? []).map(({ status }) => status)
  const admitted = statuses('SERVICE_ALREADY_DELETED').length
  expect(admitted).toBeGreaterThanOrEqual(60)
  expect(admitted).toBeLessThanOrEqual(admittedMax)
  expect(statuses('SERVICE_ALREADY_DELETED')).toEqual(Array(admitted).fill(410))
  expect(statuses('RATE_LIMITED')).toEqual(Array(90 - admitted).fill(429))
  expect(target.requests).toHaveLength(before)
})
