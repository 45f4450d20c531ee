import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { countJobs, jobs as queue, startJobQueue } from '../../src/adapters/job-queue.ts'
import { createMetrics } from '../../src/adapters/metrics.ts'
import { type ClosableDb, connectPostgres } from '../../src/adapters/postgres.ts'
import { startJobs } from '../../src/runtime/jobs.ts'
import { createTestDatabase, type TestDatabase } from '../kit/database/test-database.ts'
import { readScrape } from '../kit/gateway/prometheus.ts'
import { keepLog } from '../kit/log-lines.ts'
import { until } from '../kit/until.ts'

const { log, lines } = keepLog('debug')

describe('metrics of periodic jobs', () => {
  test('count runs, durations and failures, and have the time of the last success', async () => {
    const metrics = createMetrics(log)
    let runs = 0
    const from = Date.now() / 1_000
    const jobs = startJobs({ log, metrics, clock: systemClock }, [
      {
        name: 'test-job',
        everyMs: 50,
        async run() {
          runs += 1
          if (runs <= 2) throw new Error('Not yet.')
        },
      },
    ])
    const { has, value: first } = readScrape(await metrics.scrape())
    expect(has('farebox_job_done_timestamp_seconds', { name: 'test-job' })).toBe(true)
    expect(first('farebox_job_done_timestamp_seconds', { name: 'test-job' })).toBe(0)
    await until('it has run', () => runs >= 5)
    await jobs.stop()
    const { value } = readScrape(await metrics.scrape())
    const name = 'test-job'
    expect(value('farebox_job_runs_total', { name, outcome: 'failed' })).toBe(2)
    expect(value('farebox_job_runs_total', { name, outcome: 'done' })).toBe(runs - 2)
    expect(value('farebox_job_run_seconds_count', { name })).toBe(runs)
    expect(value('farebox_job_done_timestamp_seconds', { name })).toBeGreaterThanOrEqual(from)
    expect(lines.filter(({ job }) => job === name)).toHaveLength(2)
  })
})

describe('metrics of queued jobs', () => {
  let database: TestDatabase
  let db: ClosableDb
  beforeAll(async () => {
    database = await createTestDatabase()
    db = connectPostgres({ connectionString: database.url, connectionsMax: 2, log })
  })
  afterAll(async () => {
    await db.close()
    await database.drop()
  })

  test('count waiting, done, failed and abandoned jobs', async () => {
    const metrics = createMetrics(log)
    await db.transaction(tx =>
      queue.enqueue(tx, [
        { task: 'good', payload: {} },
        { task: 'good', payload: {} },
        { task: 'bad', payload: {}, attemptsMax: 1 },
        { task: 'slow-to-heal', payload: {}, attemptsMax: 9 },
        { task: 'good', payload: {}, runAt: new Date(Date.now() + 3_600_000) },
      ]),
    )
    expect(await countJobs(db)).toEqual({ ready: 4, scheduled: 1, running: 0, given_up: 0 })
    const fail = () => Promise.reject(new Error('No.'))
    const runner = await startJobQueue({
      connectionString: database.url,
      log,
      metrics,
      tasks: [
        { name: 'good', run: async () => undefined },
        { name: 'bad', run: fail },
        { name: 'slow-to-heal', run: fail },
      ],
    })
    const look = async () => readScrape(await metrics.scrape())
    await until('all was tried', async () => (await look()).value('farebox_queue_attempts_total') >= 4)
    await runner.stop()
    const { value } = await look()
    const attempts = (task: string, outcome: string) =>
      value('farebox_queue_attempts_total', { task, outcome })
    expect(attempts('good', 'done')).toBe(2)
    expect(attempts('bad', 'given_up')).toBe(1)
    expect(attempts('bad', 'failed')).toBe(0)
    expect(attempts('slow-to-heal', 'failed')).toBeGreaterThanOrEqual(1)
    expect(value('farebox_queue_attempt_seconds_count', { task: 'good' })).toBe(2)
    expect(await countJobs(db)).toMatchObject({ running: 0, given_up: 1 })
  })
})
