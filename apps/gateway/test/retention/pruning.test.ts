import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { jobs as queue } from '../../src/adapters/job-queue.ts'
import { deleteOldAnswers } from '../../src/domains/invocation/records/answer-store.ts'
import { pruneAnswers } from '../../src/domains/invocation/records/prune-answers.ts'
import { readReserves } from '../../src/domains/ledger/proof/read-reserves.ts'
import { pruneChecks } from '../../src/domains/ledger/reconcile/prune-checks.ts'
import type { CamelCase, Clock, Db } from '../../src/ports.ts'
import { pruneGivenUp } from '../../src/sql/prune-given-up.ts'
import { STEP_ROWS_MAX } from '../../src/sql/prune-in-steps.ts'
import { lockRows } from '../kit/database/row-locks.ts'
import { readScrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { EVERY_JOB_MS_MAX, until } from '../kit/until.ts'
import { clockAhead, countKept, digestMoney, pruneAfter } from './aged.ts'

const running = new AbortController().signal

let on: TestGateway
let twin: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
  twin = await startTestGateway({ share: on })
})
beforeEach(() => on.sql('truncate invocation_answers, invocation_streams'))
afterEach(() => on.assertBooks())
afterAll(async () => {
  await twin.stop()
  await on.stop()
})

let written = 0
/** Finished calls with their answers, all drawn at one time, the second of each ten with a stream; free, so no money. */
async function writeAnswers(count: number, daysAgo: number, prefix = 'inv_0'): Promise<void> {
  await on.sql(
    `with calls as (
       insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
         hold, drawn_at, finished_at, latency_ms, attempts, error_code)
       select $1 || lpad(i::text, 20, '0'), 'cred_old', $1 || i, '\\x00', '0xowner', '0xprovider', 'svc_old',
         'FAILED_FINAL', 0, now() - make_interval(days => $4), now(), 1, 1, 'UPSTREAM_ERROR'
       from generate_series($2::integer, $3::integer) i returning id),
     answers as (
       insert into invocation_answers (invocation_id, http_status, body) select id, 502, '{}' from calls)
     insert into invocation_streams (invocation_id, events, is_whole)
     select id, '\\x00', true from calls where right(id, 1) = '1'`,
    [prefix, written, written + count - 1, daysAgo],
  )
  written += count
}

/** A database that reports what each step deleted, and when it is done. */
function watched(db: Db, deleted: number[], onStep = () => {}): Db {
  return {
    ...db,
    async query<Row extends CamelCase<Row>>(statement: Parameters<Db['query']>[0]) {
      const rows = await db.query<Row>(statement)
      const [first] = rows as readonly { answers?: number }[]
      if (first?.answers !== undefined) {
        deleted.push(first.answers)
        onStep()
      }
      return rows
    },
  }
}

describe('pruning of answers', () => {
  test('proceeds in steps of limited size until nothing old is left, and keeps the young', async () => {
    await writeAnswers(2 * STEP_ROWS_MAX + 500, 31)
    await writeAnswers(40, 29)
    const money = await digestMoney(on)
    const deleted: number[] = []
    const db = watched(on.gateway.deps.db, deleted)
    expect(await pruneAnswers({ ...on.gateway.deps, db }, running)).toBe(2 * STEP_ROWS_MAX + 500)
    expect(deleted[0]).toBe(STEP_ROWS_MAX)
    expect(Math.max(...deleted)).toBe(STEP_ROWS_MAX)
    expect(await countKept(on)).toEqual({ answers: 40, streams: 4 })
    expect(await digestMoney(on)).toEqual(money)
  })

  test('pauses four times as long as a step took, and shrinks slow steps', async () => {
    await writeAnswers(2 * STEP_ROWS_MAX, 31)
    const deleted: number[] = []
    const pauses: number[] = []
    let elapsed = 0
    const clock: Clock = {
      ...systemClock,
      elapsed: () => elapsed,
      pause: async ms => void pauses.push(ms),
    }
    // Three steps are slow, the others are not.
    const db = watched(on.gateway.deps.db, deleted, () => {
      elapsed += deleted.length <= 3 ? 50 : 10
    })
    await pruneAnswers({ ...on.gateway.deps, db, clock }, running)
    // At last one look at the answers of calls that cost nothing.
    expect(deleted).toEqual([1_000, 500, 250, 125, 125, 0, 0])
    expect(pauses).toEqual([200, 200, 200, 40, 40])
  })

  test('ends after the current step when the gateway stops, and the next run continues from there', async () => {
    await writeAnswers(2 * STEP_ROWS_MAX + 1, 31)
    const stopping = new AbortController()
    const clock: Clock = { ...systemClock, pause: async () => stopping.abort() }
    expect(await pruneAnswers({ ...on.gateway.deps, clock }, stopping.signal)).toBe(STEP_ROWS_MAX)
    expect(await pruneAfter(on, 0)).toBe(STEP_ROWS_MAX + 1)
    expect(await countKept(on)).toEqual({ answers: 0, streams: 0 })
  })

  test('uses the time of the call: ids with a wrong clock do not make an answer old', async () => {
    await writeAnswers(10, 1, 'inv_00')
    await writeAnswers(10, 31, 'inv_1')
    expect(await pruneAfter(on, 0)).toBe(10)
    expect(await pruneAfter(on, 0)).toBe(0)
    const left = await on.sql<{ id: string }>('select invocation_id as id from invocation_answers')
    expect(left.every(({ id }) => id.startsWith('inv_00'))).toBe(true)
  })

  test('by two gateways in parallel deletes each answer once, without waiting', async () => {
    await writeAnswers(3 * STEP_ROWS_MAX, 31)
    const both = await Promise.all([pruneAfter(on, 0), pruneAfter(twin, 0)])
    const rest = await pruneAfter(on, 0)
    expect(both.reduce((sum, rows) => sum + rows, rest)).toBe(3 * STEP_ROWS_MAX)
    expect(await countKept(on)).toEqual({ answers: 0, streams: 0 })
  })

  test('does nothing while another gateway is in a step', async () => {
    await writeAnswers(20, 31)
    const lock = await lockRows(on.database.url, 'select 1 from invocation_answers for update', [])
    const first = pruneAfter(on, 0)
    await until('the first waits', () => isWaiting())
    const step = await deleteOldAnswers(twin.gateway.deps.db, {
      of: 'all',
      before: new Date(),
      after: '',
      limit: 10,
    })
    expect(step).toEqual({ isOurTurn: false, answers: 0, streams: 0, last: null })
    expect(await pruneAfter(twin, 0)).toBe(0)
    await lock.release()
    expect(await first).toBe(20)
  })

  test('killed in a step leaves all of it, streams with answers, and is completed by the next run', async () => {
    await writeAnswers(100, 31)
    const lock = await lockRows(
      on.database.url,
      'select 1 from invocation_answers where invocation_id = (select max(invocation_id) from invocation_answers) for update',
      [],
    )
    const killed = pruneAfter(on, 0).catch((error: unknown) => error)
    await until('the step waits', () => isWaiting())
    await on.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(await killed).toMatchObject({ code: 'UNAVAILABLE' })
    expect(await countKept(on)).toEqual({ answers: 100, streams: 10 })
    await lock.release()
    expect(await pruneAfter(on, 0)).toBe(100)
    expect(await countKept(on)).toEqual({ answers: 0, streams: 0 })
  })

  test('runs on every gateway automatically, after REPLAY_RETENTION_DAYS, and is counted', async () => {
    await writeAnswers(10, 3)
    await on.sql('analyze invocation_answers')
    // Otherwise autoanalyze may change the estimates after pruning.
    await on.sql('alter table invocation_answers set (autovacuum_enabled = false)')
    const frugal = await startTestGateway({
      share: on,
      env: { REPLAY_RETENTION_DAYS: '2', METRICS_TOKEN: 't'.repeat(16) },
    })
    await until('all is pruned', async () => (await countKept(on)).answers === 0, EVERY_JOB_MS_MAX)
    const scraped = await fetch(`${frugal.url}/metrics`, {
      headers: { authorization: `Bearer ${'t'.repeat(16)}` },
    })
    const { value } = readScrape(await scraped.text())
    expect(value('farebox_pruned_rows_total', { table: 'invocation_answers' })).toBe(10)
    expect(value('farebox_pruned_rows_total', { table: 'invocation_streams' })).toBe(1)
    expect(value('farebox_sample_up', { sample: 'tables' })).toBe(1)
    expect(value('farebox_table_rows', { table: 'invocation_answers' })).toBe(10)
    expect(value('farebox_table_bytes', { table: 'invocation_answers' })).toBeGreaterThanOrEqual(8_192)
    await frugal.stop()
  })
})

describe('pruning of checks of the books', () => {
  const write = (count: number, daysAgo: number, consistent: boolean) =>
    on.sql(
      `insert into reconciliations (at, consistent, findings)
       select now() - make_interval(days => $2), $3, '[]' from generate_series(1, $1::integer)`,
      [count, daysAgo, consistent],
    )
  const count = async (condition: string) =>
    (await on.sql(`select 1 from reconciliations where ${condition}`)).length

  test('deletes clean ones after 90 days, and keeps those with findings and the latest', async () => {
    await on.sql('truncate reconciliations')
    await write(STEP_ROWS_MAX + 10, 91, true)
    await write(3, 91, false)
    await write(5, 89, true)
    expect(await pruneChecks(on.gateway.deps, running)).toBe(STEP_ROWS_MAX + 10)
    expect(await count('not consistent')).toBe(3)
    expect(await count("consistent and at < now() - interval '88 days'")).toBe(5)
    const after = { ...on.gateway.deps, clock: clockAhead(1_000) }
    await pruneChecks(after, running)
    expect(await count('consistent')).toBe(1)
    expect((await readReserves(on.gateway.deps)).lastReconciledAt).not.toBeNull()
  })
})

describe('pruning of the queue', () => {
  test('deletes only jobs abandoned 30 days ago', async () => {
    const { db } = on.gateway.deps
    await db.transaction(tx =>
      queue.enqueue(tx, [
        { task: 'of-nobody', payload: { n: 1 } },
        { task: 'of-nobody', payload: { n: 2 } },
        { task: 'of-nobody', payload: { n: 3 } },
      ]),
    )
    await on.sql(
      `update graphile_worker._private_jobs set attempts = max_attempts, updated_at = now() - interval '31 days'
       where payload->>'n' = '1'`,
    )
    await on.sql(`update graphile_worker._private_jobs set attempts = max_attempts where payload->>'n' = '2'`)
    expect(await pruneGivenUp({ ...on.gateway.deps, clock: clockAhead(0) }, running)).toBe(1)
    const left = await on.sql<{ n: string }>(
      `select payload->>'n' as n from graphile_worker._private_jobs where payload->>'n' is not null order by 1`,
    )
    expect(left.map(({ n }) => n)).toEqual(['2', '3'])
  })
})

async function isWaiting(): Promise<boolean> {
  const rows = await on.sql(
    `select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%of_answers%'`,
  )
  return rows.length > 0
}
