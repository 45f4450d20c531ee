import { setTimeout as pause } from 'node:timers/promises'
import { Logger, type Runner, type RunnerOptions, run } from 'graphile-worker'
import sql from 'sql-template-tag'
import type { Jobs, Log, Metrics, Queryable, QueueTask } from '../ports.ts'
import { createPool } from './postgres.ts'

/** Concurrent jobs of one gateway. */
const CONCURRENCY = 5
/** Connections: one that listens, and one for each job being fetched or finished. */
const CONNECTIONS_MAX = 6
/** Timeouts of connecting and of answers, in ms, for a database that vanished. */
const CONNECT_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 30_000
/**
 * Polling interval of each worker for jobs that are due or whose notification was lost, in ms. A new job is notified
 * and starts at once.
 */
const POLL_INTERVAL_MS = 10_000
/** Maximum wait for running jobs when the gateway stops, in ms; then their signal is aborted. */
const STOP_WAIT_MS = 2_000
/** Delay before a stopped queue is restarted, in ms. */
const RESTART_PAUSE_MS = 1_000
/** Default attempts of a job. */
const ATTEMPTS_MAX_DEFAULT = 12

/** Queues jobs as rows, in the transaction of their cause: a rollback removes them (graphile-worker's tables). */
export const jobs: Jobs = {
  async enqueue(tx, queued) {
    if (queued.length === 0) return
    const specs = queued.map(({ task, payload, key, runAt, attemptsMax }) => ({
      identifier: task,
      payload,
      ...(key !== undefined && { job_key: key }),
      ...(runAt !== undefined && { run_at: runAt.toISOString() }),
      max_attempts: attemptsMax ?? ATTEMPTS_MAX_DEFAULT,
    }))
    await tx.query(sql`
      select count(*) from graphile_worker.add_jobs(array(
        select json_populate_record(null::graphile_worker.job_spec, spec)
        from json_array_elements(${JSON.stringify(specs)}::json) as spec))`)
  },
}

/**
 * Runs queued jobs until stopped: at least once each, several at once, with backoff after failures (about e^attempt
 * seconds). Several gateways share one queue; jobs of a dead gateway are taken over after four hours, so a task that
 * must not wait that long keeps its own record of what is due.
 *
 * A queue that cannot record the end of a job, because the database is away, stops. It is restarted until the database
 * is back; that job counts as one of a dead gateway.
 */
export async function startJobQueue(options: {
  connectionString: string
  log: Log
  metrics: Metrics
  tasks: readonly QueueTask[]
}): Promise<{ stop(): Promise<void> }> {
  const { log, metrics, tasks } = options
  const pool = createPool({
    connectionString: options.connectionString,
    max: CONNECTIONS_MAX,
    application_name: 'farebox-jobs',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  })
  const stopping = new AbortController()
  const onLost = ({ message }: Error) => {
    if (!stopping.signal.aborted) log.warn({ reason: message }, 'a connection of the job queue was lost')
  }
  pool.on('error', onLost)
  pool.on('connect', client => client.on('error', onLost))
  const runnerOptions: RunnerOptions = {
    pgPool: pool,
    concurrency: CONCURRENCY,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    // Without batches the library ignores the promise of a job's end: its rejection would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    gracefulShutdownAbortTimeout: STOP_WAIT_MS,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning')
        log.warn({ reason: message }, 'the job queue reports a problem')
    }),
    taskList: Object.fromEntries(
      tasks.map(task => [
        task.name,
        async (payload, { job, abortSignal }) => {
          const attempt = { number: job.attempts, max: job.max_attempts }
          const from = metrics.time()
          const countAttempt = (outcome: 'done' | 'failed' | 'given_up') => {
            metrics.count('farebox_queue_attempts_total', { task: task.name, outcome })
            metrics.observe('farebox_queue_attempt_seconds', { task: task.name }, metrics.time() - from)
          }
          try {
            await task.run(payload, attempt, abortSignal ?? new AbortController().signal)
            countAttempt('done')
          } catch (error) {
            countAttempt(attempt.number < attempt.max ? 'failed' : 'given_up')
            throw error
          }
        },
      ]),
    ),
  }
  const queue = await keepRunning(runnerOptions, stopping.signal, log)
  return {
    async stop() {
      stopping.abort()
      await queue.ended
      await pool.end()
    },
  }
}

/** Runs a queue until a signal, restarting it whenever it stops by itself. `ended` resolves once it has stopped. */
async function keepRunning(
  options: RunnerOptions,
  stop: AbortSignal,
  log: Log,
): Promise<{ ended: Promise<void> }> {
  let runner = await run(options)
  const keep = async () => {
    while (await endsByItself(runner, stop)) {
      log.warn({}, 'the job queue stopped; restarting it')
      const next = await startAgain(options, stop, log)
      if (next === null) return
      runner = next
    }
  }
  return { ended: keep() }
}

/** Waits for a runner to stop. Returns true if it did so by itself; at a signal it is stopped. */
async function endsByItself(runner: Runner, stop: AbortSignal): Promise<boolean> {
  const signalled = new Promise<'stop'>(resolve => {
    if (stop.aborted) resolve('stop')
    stop.addEventListener('abort', () => resolve('stop'), { once: true })
  })
  if ((await Promise.race([runner.promise, signalled])) !== 'stop') return true
  // Rejected only while it is already stopping.
  await runner.stop().catch(() => runner.promise)
  return false
}

/** Starts a queue as soon as the database allows it. Returns null if stopped before. */
async function startAgain(options: RunnerOptions, stop: AbortSignal, log: Log): Promise<Runner | null> {
  while (!stop.aborted) {
    try {
      await pause(RESTART_PAUSE_MS, undefined, { signal: stop })
      return await run(options)
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error }, 'the job queue cannot be started yet')
    }
  }
  return null
}

/** Deletes some of the jobs given up before a time. Returns how many. */
export async function deleteGivenUp(db: Queryable, query: { before: Date; limit: number }): Promise<number> {
  const rows = await db.query(sql`
    select 1 from graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs
      where locked_at is null and attempts >= max_attempts and updated_at < ${query.before}
      limit ${query.limit}))`)
  return rows.length
}

/** Maximum jobs that are counted. */
const COUNTED_MAX = 10_000

/** Returns the number of jobs by state, among the first {@link COUNTED_MAX}. */
export async function countJobs(
  db: Queryable,
): Promise<{ ready: number; scheduled: number; running: number; given_up: number }> {
  const [row] = await db.query<Record<'ready' | 'scheduled' | 'running' | 'givenUp', bigint>>(sql`
    select count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as ready,
           count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as scheduled,
           count(*) filter (where locked_at is not null) as running,
           count(*) filter (where locked_at is null and attempts >= max_attempts) as given_up
    from (select locked_at, attempts, max_attempts, run_at from graphile_worker._private_jobs
          limit ${COUNTED_MAX}) as jobs`)
  if (row === undefined) throw new Error('The queue returned no counts.')
  return {
    ready: Number(row.ready),
    scheduled: Number(row.scheduled),
    running: Number(row.running),
    given_up: Number(row.givenUp),
  }
}
