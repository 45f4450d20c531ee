import type { Deps } from '../ports.ts'

/** Periodic work of a gateway. */
export type Job = {
  readonly name: string
  /** Pause between the end of one run and the start of the next, in ms. */
  readonly everyMs: number
  /** Maximum share of time spent running, above 0 and up to 1: a long run is followed by a longer pause. */
  readonly shareMax?: number
  /** Runs once. `signal` is aborted when the gateway stops; a run should end soon after. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Starts periodic jobs, never two runs of one at once. A failed run is logged; the next one finds what it left.
 *
 * @returns `stop` waits for running jobs
 */
export function startJobs(
  deps: Pick<Deps, 'log' | 'metrics' | 'clock'>,
  jobs: readonly Job[],
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = jobs.map(job => repeat(job, stopping.signal, deps))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(
  job: Job,
  signal: AbortSignal,
  { log, metrics, clock }: Pick<Deps, 'log' | 'metrics' | 'clock'>,
): Promise<void> {
  // Until the first run has succeeded: a job that never does has an age, too.
  metrics.set('farebox_job_done_timestamp_seconds', { name: job.name }, 0)
  while (!signal.aborted) {
    const from = metrics.time()
    try {
      await job.run(signal)
      metrics.count('farebox_job_runs_total', { name: job.name, outcome: 'done' })
      metrics.set('farebox_job_done_timestamp_seconds', { name: job.name }, clock.now() / 1_000)
    } catch (error) {
      metrics.count('farebox_job_runs_total', { name: job.name, outcome: 'failed' })
      if (!signal.aborted) log.warn({ job: job.name, err: error }, 'a job failed and will run again')
    }
    const seconds = metrics.time() - from
    metrics.observe('farebox_job_run_seconds', { name: job.name }, seconds)
    await pause(pauseMsAfter(job, seconds), signal)
  }
}

/** Returns the pause that keeps a run of `seconds` within its share. */
function pauseMsAfter({ everyMs, shareMax = 1 }: Job, seconds: number): number {
  return Math.max(everyMs, 1_000 * seconds * (1 / shareMax - 1))
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal.aborted) return done()
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      done()
    }
  })
}
