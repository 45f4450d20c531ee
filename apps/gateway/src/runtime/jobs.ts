import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../ports.ts'

/** Periodic work of a gateway. */
export type Job = {
  readonly name: string
  /** Pause between the end of one run and the start of the next, in ms; after a failed run, at most 20 seconds. */
  readonly everyMs: number
  /** Pause between the start of the gateway and the first run, in ms; by default none. */
  readonly afterMs?: number
  /** Maximum share of time spent running, above 0 and up to 1: a long run is followed by a longer pause. */
  readonly shareMax?: number
  /** Runs once. `signal` is aborted when the gateway stops; a run should end soon after. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

const PRUNE_EVERY_MS = 300_000
const PRUNE_AFTER_MS = 20_000
/** Maximum pause after a failed run. */
const RETRY_MS_MAX = 20_000

/**
 * Returns a job that deletes what is no longer needed. It first runs 20 seconds after the start: a gateway that
 * starts serves its callers first.
 *
 * @param everyMs by default five minutes
 */
export const pruneJob = (name: string, run: Job['run'], everyMs = PRUNE_EVERY_MS): Job => ({
  name,
  everyMs,
  afterMs: PRUNE_AFTER_MS,
  run,
})

/** How a periodic job went since this gateway started. Times are Unix times in ms, of the gateway's clock. */
export type JobState = {
  /** `everyMs` of the job. */
  readonly intervalMs: number
  /** Successful runs. */
  readonly runs: number
  readonly failures: number
  readonly lastStartedAt: number | null
  /** Duration of the last finished run. */
  readonly lastRunMs: number | null
  /** Null before the first run has finished. */
  readonly lastOutcome: 'done' | 'failed' | null
  /** End of the last successful run. */
  readonly lastDoneAt: number | null
  /** Null during a run. */
  readonly nextRunAt: number | null
}

/** States of jobs by name. */
export type JobStates = Map<string, JobState>

/**
 * Starts periodic jobs, never two runs of one at once. A failed run is logged; the next one finds what it left.
 *
 * @param deps.states receives the state of each job whenever it changes
 * @returns `stop` waits for running jobs
 */
export function startJobs(
  deps: Pick<Deps, 'log' | 'metrics' | 'clock'> & { readonly states?: JobStates },
  jobs: readonly Job[],
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { states = new Map() } = deps
  const running = jobs.map(job => repeat(job, stopping.signal, { ...deps, states }))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

type RepeatDeps = Pick<Deps, 'log' | 'metrics' | 'clock'> & { readonly states: JobStates }

async function repeat(job: Job, signal: AbortSignal, deps: RepeatDeps): Promise<void> {
  const { metrics, clock, states } = deps
  // Until the first run has succeeded: a job that never does has an age, too.
  metrics.set('farebox_job_done_timestamp_seconds', { name: job.name }, 0)
  let state: JobState = { ...NOT_RUN, intervalMs: job.everyMs }
  if (job.afterMs !== undefined) {
    states.set(job.name, { ...state, nextRunAt: clock.now() + job.afterMs })
    await pause(job.afterMs, signal)
  }
  while (!signal.aborted) {
    state = { ...state, lastStartedAt: clock.now(), nextRunAt: null }
    states.set(job.name, state)
    const from = metrics.time()
    const outcome = await runOnce(job, signal, deps)
    const seconds = metrics.time() - from
    metrics.observe('farebox_job_run_seconds', { name: job.name }, seconds)
    const pauseMs = pauseMsAfter(job, { outcome, seconds })
    state = stateAfter(state, { outcome, seconds, endedAt: clock.now(), pauseMs })
    states.set(job.name, state)
    await pause(pauseMs, signal)
  }
}

/** Ends early when the gateway stops. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)

async function runOnce(
  job: Job,
  signal: AbortSignal,
  { log, metrics, clock }: RepeatDeps,
): Promise<'done' | 'failed'> {
  try {
    await job.run(signal)
    metrics.count('farebox_job_runs_total', { name: job.name, outcome: 'done' })
    metrics.set('farebox_job_done_timestamp_seconds', { name: job.name }, clock.now() / 1_000)
    return 'done'
  } catch (error) {
    metrics.count('farebox_job_runs_total', { name: job.name, outcome: 'failed' })
    if (!signal.aborted) log.warn({ job: job.name, err: error }, 'a job failed and will run again')
    return 'failed'
  }
}

const NOT_RUN = {
  runs: 0,
  failures: 0,
  lastStartedAt: null,
  lastRunMs: null,
  lastOutcome: null,
  lastDoneAt: null,
  nextRunAt: null,
} as const

function stateAfter(
  state: JobState,
  run: { outcome: 'done' | 'failed'; seconds: number; endedAt: number; pauseMs: number },
): JobState {
  const isDone = run.outcome === 'done'
  return {
    ...state,
    runs: state.runs + (isDone ? 1 : 0),
    failures: state.failures + (isDone ? 0 : 1),
    lastRunMs: 1_000 * run.seconds,
    lastOutcome: run.outcome,
    lastDoneAt: isDone ? run.endedAt : state.lastDoneAt,
    nextRunAt: run.endedAt + run.pauseMs,
  }
}

/** Returns the pause after a run, which keeps the job within its share. */
function pauseMsAfter(
  { everyMs, shareMax = 1 }: Job,
  { outcome, seconds }: { outcome: 'done' | 'failed'; seconds: number },
): number {
  const dueMs = outcome === 'failed' ? Math.min(everyMs, RETRY_MS_MAX) : everyMs
  return Math.max(dueMs, 1_000 * seconds * (1 / shareMax - 1))
}
