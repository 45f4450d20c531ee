import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import type { CamelCase, Db, Statement } from '../../ports.ts'
import { startJobs } from '../../runtime/jobs.ts'
import { healthJobs } from './jobs.ts'

// The figures of docs/adr/0006 were measured with PROBE_TARGETS=10000 PROBE_SECONDS=30 PROBE_FIGURES=1.
const TARGETS = Number(process.env.PROBE_TARGETS ?? 400)
const INTERVAL_SECONDS = Number(process.env.PROBE_SECONDS ?? 3)
const HOSTS = 20
const OWNERS = 100
const INTERVALS = 3

let on: Awaited<ReturnType<typeof startServiceGateway>>
let hosts: TestTarget[]
beforeAll(async () => {
  on = await startServiceGateway({ env: { PROBE_INTERVAL_SECONDS: String(INTERVAL_SECONDS) } })
  hosts = await Promise.all(Array.from({ length: HOSTS }, startTarget))
})
afterAll(async () => {
  await on.stop()
  for (const host of hosts) await host.stop()
})

/** Inserts healthy targets of many providers, all due for an hour, as after a long pause. */
async function crowd(): Promise<void> {
  const indices = Array.from({ length: TARGETS }, (_, index) => index)
  const ids = indices.map(() => on.deps.ids.next('svc'))
  const wallets = Array.from({ length: OWNERS }, () => newWallet().address.toLowerCase())
  const urls = indices.map(index => `${hosts[index % HOSTS]?.origin}/${index}`)
  const owners = indices.map(index => wallets[index % OWNERS])
  await on.deps.db.query(sql`
    insert into wallets (address, username) select address, 'crowd' from unnest(${wallets}::text[]) as n (address)`)
  await on.deps.db.query(sql`
    insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
      price_model, price, method, timeout_ms, request, response)
    select id, owner, lower(replace(id, 'svc_', 't-')), 'Crowd', '', '', '{}', 'api', 'fixed', 0, 'POST', 1000, '{}', '{}'
    from unnest(${ids}::text[], ${owners}::text[]) as n (id, owner)`)
  await on.deps.db.query(sql`
    insert into service_targets (service_id, url, position, weight, is_healthy, last_probed_at, next_probe_at)
    select id, url, 1, 1, true, now(), now() - interval '1 hour'
    from unnest(${ids}::text[], ${urls}::text[]) as n (id, url)`)
}

/** Returns a database that notes when it has claimed which target, by its URL. */
function noteClaims(db: Db, claims: Map<string, number[]>): Db {
  return {
    ...db,
    async query<Row extends CamelCase<Row>>(statement: Statement) {
      const rows = await db.query<Row>(statement)
      if (statement.text.includes('set next_probe_at = now() +'))
        for (const { url = '' } of rows as { url?: string }[])
          claims.set(url, [...(claims.get(url) ?? []), performance.now()])
      return rows
    },
  }
}

const spent = async () => {
  const [row] = await on.deps.db.query<{ commits: bigint; wal: string }>(sql`
    select xact_commit as commits, pg_current_wal_lsn()::text as wal
    from pg_stat_database where datname = current_database()`)
  const { user, system } = process.cpuUsage()
  return { commits: Number(row?.commits), wal: row?.wal ?? '0/0', cpuSeconds: (user + system) / 1e6 }
}
const bytesOf = (wal: string): number => {
  const [high = '0', low = '0'] = wal.split('/')
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}

test('targets that are all an hour overdue are probed within half an interval, then once per interval', async () => {
  await crowd()
  const at = new Map<string, number[]>()
  for (const host of hosts) {
    host.answer((request, response) => {
      const key = `${host.origin}${request.url}`
      at.set(key, [...(at.get(key) ?? []), performance.now()])
      response.end()
    })
  }
  const before = await spent()
  const startedAt = performance.now()
  const claims = new Map<string, number[]>()
  const jobs = startJobs(on.deps, healthJobs({ ...on.deps, db: noteClaims(on.deps.db, claims) }))
  await on.deps.clock.pause(INTERVALS * INTERVAL_SECONDS * 1_000)
  await jobs.stop()
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await spent()

  expect(at.size).toBe(TARGETS)
  expect(claims.size).toBe(TARGETS)
  const all = [...at.values()].flat().sort((a, b) => a - b)
  const pace = Math.max(50, (2 * TARGETS) / INTERVAL_SECONDS)
  const perSecond = Map.groupBy(all, time => Math.floor((time - startedAt) / 1_000))
  const busiest = Math.max(...[...perSecond.values()].map(times => times.length))
  // Up to two seconds' worth of probes may start within a second.
  expect(busiest).toBeLessThanOrEqual(2 * pace + 20)
  // Claims are at least nine tenths of an interval apart; a busy machine hears of some late. Requests are not: a target that
  // fails is asked again at once.
  const gaps = [...claims.values()].flatMap(times =>
    times.slice(1).map((time, index) => time - (times[index] ?? 0)),
  )
  const shortest = Math.min(...gaps) / 1_000
  expect(shortest).toBeGreaterThan(INTERVAL_SECONDS * 0.2)
  expect(all.length).toBeGreaterThan(TARGETS * (INTERVALS - 1.5))
  expect(all.length).toBeLessThanOrEqual(TARGETS * (INTERVALS + 1))

  if (process.env.PROBE_FIGURES === undefined) return
  const [kept] = await on.deps.db.query<Record<string, string>>(sql`
    select count(*)::text as rows, count(*) filter (where is_landmark)::text as landmarks from health_probes`)
  const figures = {
    targets: TARGETS,
    seconds,
    probes: all.length,
    probesPerSecond: all.length / seconds,
    busiest,
    perSecond: [...perSecond].map(([second, times]) => `${second}:${times.length}`).join(' '),
    shortest,
    longest: Math.max(...gaps) / 1_000,
    cpuShareOfOneCore: (after.cpuSeconds - before.cpuSeconds) / seconds,
    commitsPerSecond: (after.commits - before.commits) / seconds,
    walBytesPerProbe: (bytesOf(after.wal) - bytesOf(before.wal)) / all.length,
    ...kept,
  }
  process.stderr.write(`${JSON.stringify(figures, null, 2)}\n`)
}, 240_000)
