import type { Log, Metrics } from './ports.ts'

/** Work that repeats for as long as the gateway runs. */
export type Job = {
  readonly name: string
  /** Pause between the end of one run and the start of the next, in ms. */
  readonly everyMs: number
  /** One run. `signal` is aborted when the gateway stops; a run shall end soon after. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Starts jobs, each in its own rhythm, never two runs of one job at once. A run that fails is logged and the
 * next one comes as usual: whatever it left undone is still there to be found.
 *
 * @returns `stop` waits for the runs under way
 */
export function startJobs(
  deps: { readonly log: Log; readonly metrics: Metrics },
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
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): Promise<void> {
  while (!signal.aborted) {
    const from = metrics.time()
    try {
      await job.run(signal)
      metrics.count('farebox_job_runs_total', { job: job.name, outcome: 'done' })
      metrics.set('farebox_job_done_timestamp_seconds', { job: job.name }, Date.now() / 1_000)
    } catch (error) {
      metrics.count('farebox_job_runs_total', { job: job.name, outcome: 'failed' })
      if (!signal.aborted) log.warn({ job: job.name, err: error }, 'a job failed and will run again')
    }
    metrics.observe('farebox_job_run_seconds', { job: job.name }, metrics.time() - from)
    await pause(job.everyMs, signal)
  }
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
