import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { countJobs, jobs as queue, startJobQueue } from '../../src/adapters/job-queue.ts'
import { createMetrics } from '../../src/adapters/metrics.ts'
import { type ClosableDb, connectPostgres } from '../../src/adapters/postgres.ts'
import { type JobState, type JobStates, pruneJob, startJobs } from '../../src/runtime/jobs.ts'
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

describe('states of periodic jobs', () => {
  test('have the start, duration and outcome of the last run, and the start of the next but not during a run', async () => {
    const states: JobStates = new Map()
    const ends: ((error?: Error) => void)[] = []
    const run = () =>
      new Promise<void>((resolve, reject) => {
        ends.push(error => (error === undefined ? resolve() : reject(error)))
      })
    const from = Date.now()
    const jobs = startJobs({ log, metrics: createMetrics(log), clock: systemClock, states }, [
      { name: 'often', everyMs: 1, run },
      { name: 'seldom', everyMs: 3_000, run: async () => undefined },
      { name: 'sparing', everyMs: 0, shareMax: 0.001, run: async () => undefined },
    ])
    const state = () => states.get('often')
    await until('the first run has begun', () => ends.length === 1)
    expect(state()).toEqual({
      intervalMs: 1,
      runs: 0,
      failures: 0,
      lastStartedAt: expect.any(Number),
      lastRunMs: null,
      lastOutcome: null,
      lastDoneAt: null,
      nextRunAt: null,
    })
    ends[0]?.()
    await until('the second run has begun', () => ends.length === 2)
    const doneAt = state()?.lastDoneAt ?? 0
    expect(state()).toMatchObject({ runs: 1, failures: 0, lastOutcome: 'done', nextRunAt: null })
    expect(state()?.lastStartedAt).toBeGreaterThanOrEqual(doneAt)
    expect(doneAt).toBeGreaterThanOrEqual(from)
    ends[1]?.(new Error('No.'))
    await until('the third run has begun', () => ends.length === 3)
    expect(state()).toMatchObject({ runs: 1, failures: 1, lastOutcome: 'failed', lastDoneAt: doneAt })
    expect(state()?.lastRunMs).toBeGreaterThanOrEqual(0)

    const afterRun = async (name: string) => {
      let found: JobState | undefined
      await until(`${name} waits for its next run`, () => {
        found = states.get(name)
        return typeof found?.nextRunAt === 'number'
      })
      const { nextRunAt, lastDoneAt, lastRunMs } = found ?? {}
      return { pauseMs: Number(nextRunAt) - Number(lastDoneAt), runMs: Number(lastRunMs) }
    }
    expect((await afterRun('seldom')).pauseMs).toBe(3_000)
    const { pauseMs, runMs } = await afterRun('sparing')
    expect(pauseMs).toBeCloseTo(999 * runMs, 2)
    ends[2]?.()
    await jobs.stop()
  })

  test('say that a job that deletes waits before its first run, which a stop does not wait for', async () => {
    const states: JobStates = new Map()
    let runs = 0
    const from = Date.now()
    const jobs = startJobs({ log, metrics: createMetrics(log), clock: systemClock, states }, [
      pruneJob('prune-test', async () => {
        runs += 1
      }),
    ])
    const { nextRunAt, ...state } = states.get('prune-test') ?? {}
    expect(nextRunAt).toBeGreaterThanOrEqual(from + 20_000)
    expect(nextRunAt).toBeLessThanOrEqual(Date.now() + 20_000)
    expect(state).toMatchObject({ intervalMs: 300_000, runs: 0, lastStartedAt: null, lastOutcome: null })
    await jobs.stop()
    expect(runs).toBe(0)
  })
})

test('a job that fails runs again after 20 seconds, one that runs more often at its interval', async () => {
  const states: JobStates = new Map()
  const run = () => Promise.reject(new Error('The database is away.'))
  const jobs = startJobs({ log, metrics: createMetrics(log), clock: systemClock, states }, [
    { name: 'seldom', everyMs: 21_600_000, run },
    { name: 'often', everyMs: 15_000, run },
  ])
  const pauseMs = (name: string) => {
    const { nextRunAt, lastStartedAt } = states.get(name) ?? {}
    return Number(nextRunAt) - Number(lastStartedAt)
  }
  await until('both have failed', () => states.get('seldom')?.failures === 1 && pauseMs('often') > 0)
  await jobs.stop()
  expect(pauseMs('seldom')).toBeGreaterThanOrEqual(20_000)
  expect(pauseMs('seldom')).toBeLessThan(25_000)
  expect(pauseMs('often')).toBeGreaterThanOrEqual(15_000)
  expect(pauseMs('often')).toBeLessThan(20_000)
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
